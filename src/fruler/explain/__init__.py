"""What people read: everything here is made from a RuleBase."""
