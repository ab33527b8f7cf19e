"""Which file a block means, what stands there at each moment of a reply, and what may be put there."""
