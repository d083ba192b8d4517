"""Formats of the original platform: its records (.sgf) and its network protocol."""
