"""Players that only TUBSTAP has."""
