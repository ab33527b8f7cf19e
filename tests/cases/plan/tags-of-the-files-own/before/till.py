"""The till.

Rung so:
"""
