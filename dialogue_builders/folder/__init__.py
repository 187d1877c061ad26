"""The built folder: its layout, provenance, files, shards and statistics."""
