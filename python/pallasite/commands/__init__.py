"""What the command line does in Python; the rest of it is the engine's."""
