# SPDX-License-Identifier: Apache-2.0
"""The last failure: the call, for %report, and the simulator run, for %dbg, with the state of its block at the first finding."""

import re

from .registry import known

call = None  # (kernel, values) of the last call with findings, or that crashed
run = None  # the FailedRun of the last run with findings


class FailedRun:
    """.name, .level and .indices (names of the block's coordinates); .findings and .state as the simulator gives them."""

    def __init__(self, name, level, result, indices):
        self.name, self.level, self.indices = name, level, indices
        self.findings, self.state = result["findings"], result["failed"]


def keep(kernel, level, result):
    """Keeps a run that has findings and the state of its block."""
    global run
    if result["findings"] and result.get("failed"):
        indices = re.search(r"\bwith kernel\(.* as \(([^)]*)\):", kernel._func.text())
        run = FailedRun(known(kernel).full_name, level, result, indices[1].split(", ") if indices else [])
