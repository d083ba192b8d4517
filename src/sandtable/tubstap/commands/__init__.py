"""Commands of the command line that only TUBSTAP has."""
