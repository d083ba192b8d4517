"""Players that only Conquest has."""
