"""How moments are summed: groups of rows, blocks, and a kernel for each kind of storage."""
