"""One self-contained page: dialogues packed into it, drawn by a script of its own."""
