"""Training by UniSim's recipe."""
