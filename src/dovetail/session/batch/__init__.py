"""Many replies at once, in memory: `cases` answers them, `files` and `parquet` hold them, `worker` runs a process."""
