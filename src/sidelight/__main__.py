"""`python -m sidelight`: the command line."""

from .cli import main

main()
