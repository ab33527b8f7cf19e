"""What belongs together."""
