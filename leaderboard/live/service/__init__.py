"""How all live pages are served: the queue for a device, limits, lending of models, uploads. Knows no page."""
