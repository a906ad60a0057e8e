"""nano-iqa: a small network and natural-scene statistics look at a photo, and linear heads rate what they saw."""
