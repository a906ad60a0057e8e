"""How the lists of the demo sets were made: what is true of a photo by what was done to it."""
