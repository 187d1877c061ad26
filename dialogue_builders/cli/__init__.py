"""The command line, and everything that is printed."""
