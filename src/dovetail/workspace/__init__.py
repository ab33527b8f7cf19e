"""The room `workspace`."""
