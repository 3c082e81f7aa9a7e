#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TileLang's own tests on tilelab: the nodes of a list, file by file, each file in a process of its own.

usage: portable.py CHECKOUT TILELAB LIST [FILTER ...]
CHECKOUT: a copy of TileLang's repository.  LIST: lines of CLASS <tab> NODE, where NODE is a file or
file::test below testing/python; classes cpu and diag are run.  FILTER: part of a node.
Prints a line per test that did not pass with its class and the beginning of its error, and a count at
the end. Kernels are made for sm_90a, whose tests TileLang's are.
"""
import pathlib
import sys
from collections import defaultdict

import outcomes

CLASSES = ("cpu", "diag")


def nodes_by_file(listing, filters):
    files = defaultdict(list)
    for line in pathlib.Path(listing).read_text(encoding="utf-8").splitlines():
        fields = line.split("\t")
        if len(fields) > 1 and fields[0] in CLASSES and (not filters or any(f in fields[1] for f in filters)):
            files[fields[1].partition("::")[0]].append(fields[1])
    return files


def main():
    checkout, tilelab, listing, filters = *sys.argv[1:4], sys.argv[4:]
    table = outcomes.Table()
    for nodes in nodes_by_file(listing, filters).values():
        table.add(outcomes.run_file(pathlib.Path(checkout, "testing/python"), str(pathlib.Path(tilelab).resolve()), nodes))
    table.show()
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
