#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TileLang's own tests on tilelab: the nodes of a list, file by file, each file in a separate process.

usage: portable.py [--gpu] [--jobs N] CHECKOUT TILELAB LIST [FILTER ...]
CHECKOUT: a copy of TileLang's repository.  LIST: lines of CLASS <tab> NODE, where NODE is a file or
file::test below testing/python; classes cpu and diag are run, with --gpu all.  FILTER: part of a node.
Prints a line per test that did not pass with its class and the beginning of its error, and a count at
the end. Kernels are made for sm_90a, whose tests TileLang's are.
"""
import argparse
import concurrent.futures
import pathlib
import sys
from collections import defaultdict

import outcomes

CLASSES = ("cpu", "diag")
GPU_CLASSES = (*CLASSES, "cpu-slow", "simt", "gpu-time", "sm90", "skip-cc")


def nodes_by_file(listing, classes, filters):
    files = defaultdict(list)
    for line in pathlib.Path(listing).read_text(encoding="utf-8").splitlines():
        fields = line.split("\t")
        if len(fields) > 1 and fields[0] in classes and (not filters or any(f in fields[1] for f in filters)):
            files[fields[1].partition("::")[0]].append(fields[1])
    return files


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].splitlines()[0])
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("tilelab", type=pathlib.Path)
    parser.add_argument("listing")
    parser.add_argument("filters", nargs="*")
    args = parser.parse_args()
    files = nodes_by_file(args.listing, GPU_CLASSES if args.gpu else CLASSES, args.filters)
    folder, tilelab = args.checkout / "testing/python", str(args.tilelab.resolve())
    table = outcomes.Table()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for found in pool.map(lambda nodes: outcomes.run_file(folder, tilelab, nodes), files.values()):
            table.add(found)
    table.show()
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
