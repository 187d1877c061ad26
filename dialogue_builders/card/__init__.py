"""Dataset cards: front matter, and blocks computed from a folder inside prose that people wrote."""
