"""Models and what is known about them."""
