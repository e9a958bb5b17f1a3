"""The command `sidelight`: its start, outside the package.

Importing the package takes a moment. Ctrl-C in that moment leaves with the same word as later, and
`import sidelight` in somebody else's program changes nothing about Ctrl-C there.
"""

import sys


def main() -> None:
    """Import the command line, and run it."""
    try:
        from sidelight.cli import main as run  # noqa: PLC0415 - what the `try` is for

        run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)  # what shells report of a process that Ctrl-C ended


if __name__ == "__main__":
    main()
