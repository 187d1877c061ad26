"""Tools that datasets share: turns laid out flat, histories, chat messages."""
