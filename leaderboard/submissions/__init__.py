"""What authors hand in: unpacked within limits, read, scored against the truth held here, and previewed. No Gradio."""
