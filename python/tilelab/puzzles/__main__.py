# SPDX-License-Identifier: Apache-2.0
"""`tilelab puzzle` without a terminal, and `python3 -m tilelab.puzzles`."""

import sys

from .command_line import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
