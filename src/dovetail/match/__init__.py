"""The room `match`."""
