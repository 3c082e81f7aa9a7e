#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All test files below a folder of another project on tilelab: the MUSA sources' and TileOPs' own tests.

usage: folder.py FOLDER TILELAB [--target TARGET] [--limit SECONDS] [FILTER ...]
Prints a line per test that did not pass with its class and the beginning of its error, and a count at
the end. FILTER: part of a file's name.

    folder.py tilelang_musa/testing/python build/bin/tilelab --target mp_31
    folder.py TileOPs/tests build/bin/tilelab
"""
import argparse
import pathlib
import sys

import outcomes


def main():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2].partition("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("tilelab")
    parser.add_argument("filters", nargs="*")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--limit", type=float, default=60)
    given = parser.parse_intermixed_args()
    table = outcomes.Table()
    for name in outcomes.files_below(given.folder, given.filters):
        table.add(outcomes.run_file(given.folder, str(pathlib.Path(given.tilelab).resolve()), [name], given.target, given.limit))
    table.show()
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
