"""What visitors do with models while they watch: no Gradio here, and no engine of its own."""
