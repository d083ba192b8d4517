"""What the original platform reads, writes and speaks: its records (.sgf) and its network protocol."""
