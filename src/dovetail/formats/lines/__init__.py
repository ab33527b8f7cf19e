"""What a line of a reply says by itself: marker, fence, path, command, tag of reasoning. No state and no block."""
