"""What makes the parts that ship: the embedded models and the demo sets. Not in the wheel."""
