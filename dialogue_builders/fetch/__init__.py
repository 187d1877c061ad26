"""Pinned raw files, fetched over HTTP and verified."""
