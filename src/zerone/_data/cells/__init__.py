"""What cells of text mean: missing values, numbers and dates."""
