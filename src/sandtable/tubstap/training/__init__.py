"""TUBSTAP's part of self-play training."""
