"""Conversations that are kept: written down as they happen, gone on with, played again without a model."""
