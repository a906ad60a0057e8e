"""One file a verb: its arguments (`add_arguments`), what it does, and what it prints. `qbench.__main__` lists them."""
