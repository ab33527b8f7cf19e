"""Many replies at once, in memory.

`cases` answers them, `files` and `parquet` read and write them, `scores` judges results, `worker` runs a process.
"""
