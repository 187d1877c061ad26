"""The version of the distribution; its only place."""

__version__ = "0.1.0"
