"""The paper's experiment: its protocol, its figures and ours."""
