# SPDX-License-Identifier: Apache-2.0
"""Checks whether a race changes results: runs the call under several schedules and reports the first element that differs."""

import ctypes
import re
import time

import numpy as np

from .._compiler.errors import raise_if_ended
from .memory import index_of, itemsize

SEEDS = range(1, 9)  # 0 is the default schedule
FIRST_INTERLEAVED = 2  # from this seed on blocks are interleaved; for this one, after each access
SECONDS = 1  # for all schedules


def describe_races(kernel, described, before, runs, seed):
    """Adds to races how two schedules change the outputs, or that they agree."""
    if (level := next((level for level, result in runs if level != "tile" and _races(result)), None)) is None:
        return
    if (difference := _difference(kernel, level, described, before, runs.proof, seed)) is None:
        return
    buffer, text = difference
    races = [finding for _, result in runs for finding in _races(result) if not finding["detail"]]
    of_it = [finding for finding in races if finding["buffer"] == buffer]
    for finding in of_it or races:
        finding["detail"] = text + (_interleavings(text) if _between_blocks(finding) else "")


def _interleavings(text):
    """For agreeing schedules: how many interleaved blocks."""
    tried = re.match(r"the same results in (\d+) schedules", text)
    return f", with interleaved blocks in {max(0, int(tried[1]) - FIRST_INTERLEAVED)}" if tried else ""


def _between_blocks(finding):
    return any(side["actor"].startswith("block ") for side in finding["where"])


def _races(result):
    return [finding for finding in result["findings"] if finding["kind"] == "race"]


def _difference(kernel, level, described, before, proof, seed):
    """(differing tensor or None, description); None if a run did not finish."""
    func = kernel._at_level(level)
    outputs = [(param["name"], tensor) for tensor, param in zip(described, kernel._func.params) if param["written"]]
    first, seeds, end = None, ([seed] if seed else []) + list(SEEDS), time.monotonic() + SECONDS
    for tried, one in enumerate([0, *seeds]):
        if time.monotonic() > end:
            return (None, f"the same results in {tried} schedules") if tried > 1 else None
        result = func.run(described, seed=one, threads=1, proof=proof, seconds=SECONDS)
        values = [ctypes.string_at(tensor[1], tensor[4]) for _, tensor in outputs]
        before.restore()
        raise_if_ended(kernel.name, result)
        if result["status"] != "finished" or result["blocks"] < result["all_blocks"]:
            return None
        first = first or values
        for (name, tensor), plain, other in zip(outputs, first, values):
            if plain != other:
                return name, _differs(name, tensor, plain, other, one)
    return None, f"the same results in {len(seeds) + 1} schedules"


def _differs(name, tensor, plain, other, seed):
    """"C[3] is 1.0, with --seed 5 2.0" for the first differing byte."""
    size = itemsize(tensor)
    element = next(i for i, (a, b) in enumerate(zip(plain, other)) if a != b) // size
    values = [_value(tensor[0], content[element * size:(element + 1) * size]) for content in (plain, other)]
    return f"{name}[{', '.join(map(str, index_of(element, tensor)))}] is {values[0]}, with --seed {seed} {values[1]}"


def _value(dtype, content):
    try:
        return str(np.frombuffer(content, dtype)[0])
    except TypeError:  # a type that NumPy does not know
        return "0x" + content[::-1].hex()
