"""A built folder on the Hub: planned, committed once, verified."""
