"""One module a verb: its arguments, and what it prints; `add_parser` adds it to the command line."""
