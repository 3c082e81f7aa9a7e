#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the budgets and prints one table.

usage: run.py [--only NAME]... [--json FILE] [--peer-python PYTHON] [--python PYTHON] [--binary TILELAB] [--quick] [--list]

NAME is a row, or its beginning (`puzzle`). PYTHON of --peer-python has the peers: IPython, ipykernel, xeus-python,
triton, NumPy with OpenBLAS. --python is the one that tilelab was built for. Exit status 1 if a row misses its budget.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import table  # noqa: E402
from measure import ROOT, Missing, Setup  # noqa: E402


def processor():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.partition(":")[2].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def number(value):
    if value is None:
        return ""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def verdict(row, found):
    """(ok, ratio of the peer's figure to ours or None)"""
    ratio = found.peer / found.ours if found.peer is not None and found.ours else None
    if row.compare == "at most":
        return found.ours <= row.limit, ratio
    if row.compare == "at least":
        return found.ours >= row.limit, ratio
    return ratio is not None and ratio >= row.limit, ratio


def limit_text(row):
    sign = {"at most": "<=", "at least": ">=", "ratio": ">="}[row.compare]
    return f"{sign} {row.limit:g}{'x' if row.compare == 'ratio' else ''}"


def measure(row, setup):
    """The row's entry of the report, a dict of plain values."""
    entry = {"name": row.name, "what": row.what, "how": row.how, "unit": row.unit, "limit": limit_text(row)}
    try:
        found = row.measure(setup)
    except Missing as missing:
        return entry | {"state": "-", "note": f"not measured: {missing}"}
    except RuntimeError as failed:
        return entry | {"state": "MISS", "note": f"failed: {' '.join(str(failed).split())[-300:]}"}
    good, ratio = verdict(row, found)
    note = found.spread
    if row.peer and found.peer is None:
        note = f"{note}; peer not installed: pip install {row.peer.replace(', ', ' ')}".lstrip("; ")
    return entry | {"ours": found.ours, "peer": found.peer, "peer_name": found.peer_name if found.peer is not None else "",
                    "ratio": ratio, "state": "ok" if good else "MISS", "note": note}


COLUMNS = (("row", 20), ("what", 41), ("ours", 9), ("unit", 4), ("budget", 8), ("peer", 7), ("of", 21), ("x", 6),
           ("", 4), ("note", 0))


def line(cells):
    return "  ".join(f"{cell:>{width}}" if name in ("ours", "peer", "x") else f"{cell:<{width}}"
                     for cell, (name, width) in zip(cells, COLUMNS)).rstrip()


def show(entry):
    ratio = entry.get("ratio")
    print(line([entry["name"], entry["what"], number(entry.get("ours")), entry["unit"], entry["limit"],
                number(entry.get("peer")), entry.get("peer_name", ""), number(ratio), entry["state"], entry["note"]]),
          flush=True)


def machine():
    return {"date": datetime.datetime.now().isoformat(" ", "minutes"), "processor": processor(),
            "cores": os.cpu_count(), "load": [round(x, 2) for x in os.getloadavg()], "python": platform.python_version()}


def options():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--json")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--peer-python")
    parser.add_argument("--binary", default=str(ROOT / "build" / "bin" / "tilelab"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def main():
    chosen = options()
    rows = [r for r in table.ROWS if not chosen.only or any(r.name.startswith(n) for n in chosen.only)]
    if not rows:
        sys.exit(f"no row {', '.join(chosen.only)}; there are {', '.join(r.name for r in table.ROWS)}")
    if chosen.list:
        for row in rows:
            print(f"{row.name:<20}  {row.what:<41}  {limit_text(row):>8} {row.unit:<4} {row.how}")
        return 0
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a user's second start finds compiled modules
    setup = Setup(chosen.binary, chosen.python, chosen.peer_python or chosen.python, chosen.quick)
    before = machine()
    print(f"{before['date']}, {before['processor']}, {before['cores']} cores, load {before['load'][0]}\n")
    print(line([name for name, _ in COLUMNS]))
    entries = []
    for row in rows:
        entries.append(measure(row, setup))
        show(entries[-1])
    after = machine()
    missed = [e["name"] for e in entries if e["state"] == "MISS"]
    print(f"\nload at the end {after['load'][0]}; {len(entries)} rows, {len(missed)} missed"
          + (": " + ", ".join(missed) if missed else ""))
    if chosen.json:
        pathlib.Path(chosen.json).write_text(json.dumps({"before": before, "after": after, "rows": entries}, indent=1))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
