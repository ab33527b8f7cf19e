"""What was planned or done, as every face shows it: hunks, moves, patches and plain JSON."""
