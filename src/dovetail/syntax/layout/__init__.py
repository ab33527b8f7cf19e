"""What a formatter may write otherwise in a language: which tokens it adds or drops, and how it spells the others."""
