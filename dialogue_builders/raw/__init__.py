"""Raw files: found, verified, scanned, decoded in batches, and explained where they are broken."""
