"""One verb a module: build, check, write a sample."""
