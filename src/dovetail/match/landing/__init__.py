"""What an edit changes, carried over to the file's own lines; and whether it stands there already."""
