"""Pen Pals: a corpus of letters for dialogue-builders. It is declared in `pen_pals.corpus`."""
