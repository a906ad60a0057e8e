"""What stands between a request and Gradio: limits, origins, what is answered from memory, what the server tells of it.

Never what a page shows, or what a visitor's work is.
"""
