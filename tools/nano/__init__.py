"""How the embedded models are made: nano-iqa, nano-clip, nano-vlm and the parameters of niqe."""
