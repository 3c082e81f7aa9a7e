# SPDX-License-Identifier: Apache-2.0
"""Rows and measuring tools: child processes, repeats, statistics."""

import dataclasses
import json
import os
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "bench" / "programs"


class Missing(Exception):
    """Something that a row needs is not here; the text says how to get it."""


@dataclasses.dataclass
class Measured:
    """`ours` and `peer` in the row's unit. `spread`: what else is worth knowing, as one line."""

    ours: float
    peer: float | None = None
    peer_name: str = ""
    spread: str = ""


@dataclasses.dataclass
class Row:
    """One budget. `compare` says what `limit` limits: "at most" (ours <= limit), "at least"
    (ours >= limit) or "ratio" (ours against the peer's figure: peer / ours of times, >= limit)."""

    name: str
    what: str
    how: str
    unit: str
    compare: str
    limit: float
    measure: object  # Setup -> Measured
    peer: str = ""   # of the budget's peers, those that this row runs


@dataclasses.dataclass
class Setup:
    """A measurement and its number of runs."""

    binary: str
    python: str       # that tilelab's module was built for
    peer_python: str  # that has the peers
    quick: bool = False

    def repeats(self, n):
        return max(2, n // 5) if self.quick else n

    def environment(self, **more):
        env = {k: v for k, v in os.environ.items() if k not in ("PYTHONSTARTUP", "TRITON_INTERPRET")}
        package = pathlib.Path(self.binary).absolute().parents[1] / "lib" / "tilelab" / "python"
        path = [str(package), env.get("PYTHONPATH", "")]
        return {**env, "PYTHONPATH": os.pathsep.join(p for p in path if p), **more}


def child(setup, program, *arguments, python=None, env=None):
    """Runs a program of bench/programs; the value of its last line, which is JSON."""
    done = subprocess.run([python or setup.python, str(PROGRAMS / program), *map(str, arguments)],
                          capture_output=True, text=True, env=env or setup.environment(), timeout=900)
    lines = done.stdout.strip().split("\n")
    if done.returncode != 0:
        reason = (done.stderr.strip().split("\n") or [""])[-1]
        if "ModuleNotFoundError" in reason or "Missing" in reason:
            raise Missing(reason.partition(": ")[2])
        raise RuntimeError(f"{program} {' '.join(map(str, arguments))}: {done.stderr.strip()[-600:]}")
    return json.loads(lines[-1])


def has_module(python, name):
    try:
        return subprocess.run([python, "-c", f"import {name}"], capture_output=True).returncode == 0
    except OSError:
        return False


def median_and_best(values, unit=""):
    """The text of a row's spread."""
    return f"min {min(values):.3g}{unit}, median {statistics.median(values):.3g}{unit} of {len(values)}"
