# SPDX-License-Identifier: Apache-2.0
"""The last run of the simulator that found something: its block's machine as it was at the first finding."""

import re

from .registry import known

last = None


class Failed:
    """.name, .level, .findings; .outcome in words; .state: buffers and agents."""

    def __init__(self, name, level, result, indices=()):
        self.name, self.level, self.findings, self.indices = name, level, result["findings"], list(indices)
        self._result, self._state = result, None

    @property
    def outcome(self):
        from .trace import outcome

        return outcome(self._result)

    @property
    def state(self):
        from .trace import State

        if self._state is None:
            self._state = State(self._result["failed"])
        return self._state


def keep(kernel, level, result):
    """Takes note of a run, if it found something and left its machine."""
    global last
    if result["findings"] and result.get("failed"):
        indices = re.search(r"\bwith kernel\(.* as \(([^)]*)\):", kernel._func.text())
        last = Failed(known(kernel).full_name, level, {"findings": result["findings"], "failed": result["failed"]},
                      indices[1].split(", ") if indices else ())
