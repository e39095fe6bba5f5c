"""The paper's data sets: a registry of the real ones, a generator of the artificial ones.

Real sets are looked for in a folder (argument ``data_dir``, or the environment variable
``ZERONE_DATA``), then in the user's cache, then downloaded (with pooch).
"""
