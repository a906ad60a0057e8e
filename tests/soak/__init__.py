"""Processes killed at random moments, until a number of kills is reached: what was acknowledged is there, once."""
