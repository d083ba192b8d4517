"""The page: a local server, and the files that the browser loads from it."""
