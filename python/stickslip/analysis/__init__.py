"""What can be said about a run, a law or a machine."""
