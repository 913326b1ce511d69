"""The paper's experiment: its protocol, its results and ours."""
