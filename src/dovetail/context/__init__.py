"""The room `context`."""
