"""Training of the embedded models: a small CLIP and a small LLaVA. Nothing here is used to answer."""
