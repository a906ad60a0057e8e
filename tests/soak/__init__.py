"""Processes killed at random moments."""
