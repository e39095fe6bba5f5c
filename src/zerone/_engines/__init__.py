"""Moments of rows that are not in memory: scans with checkpoints, Dask, Spark, SQL."""
