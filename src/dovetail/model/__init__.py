"""The values that all packages exchange: text, blocks, edits, snapshots, results, diagnostics, errors.

Nothing here opens a file, keeps state or knows a format. Each module holds one family of values.
"""
