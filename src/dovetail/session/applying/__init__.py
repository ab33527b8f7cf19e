"""A reply on its way to disk: read, chosen from, planned, compared with the journal, written."""
