"""Function calls: JSON, Python or tokens around them → the fields of a call → its edit."""
