"""Commands of the command line that only Conquest has."""
