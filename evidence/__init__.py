"""Long runs that back the claims of the documentation. Not part of the installed package."""
