"""The UniSim paper's training recipe, for CLIP and for generative models."""
