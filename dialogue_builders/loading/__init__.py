"""Loading: the builder for the datasets library, loading by name, streams for several nodes."""
