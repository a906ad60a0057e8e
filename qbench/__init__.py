"""Evaluate the low-level vision of multimodal models; complete without the leaderboard."""
