"""Dovetail: the layer between a language model's replies and people's files."""

__version__ = "0.1.0"
