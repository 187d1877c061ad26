"""Rows for trainers that want another shape: a split of a built folder as one file of JSON lines.

`shapes` tells what a row is by its features, `formats` is the table of what programs want, and
`write` streams one into the other.
"""
