"""The till.

Rung so:

```
ring()
```
"""
