"""Weight, mean and covariance of every class: what they are, and how they merge."""
