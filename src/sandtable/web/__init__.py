"""The page: a server on this machine, and what the browser loads from it."""
