"""Weight, mean and covariance of every class, and how they are merged."""
