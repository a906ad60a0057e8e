"""How the embedded models and metrics are trained."""
