"""``python -m zerone`` is ``zerone``."""

from zerone.cli import main

main()
