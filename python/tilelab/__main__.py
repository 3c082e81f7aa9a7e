# SPDX-License-Identifier: Apache-2.0
"""`python -m tilelab`, and the command `tilelab` of a wheel: the command line, the shell and the notebook kernel inside this Python."""

import sys


def main():
    try:
        from ._frontend import main as run
    except ModuleNotFoundError:
        print("tilelab: this installation has no front ends for its Python; use its program tilelab", file=sys.stderr)
        return 3
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
