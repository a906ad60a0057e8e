"""Figures: functions from tables and findings to plotly, with their text alternatives. One file per family."""
