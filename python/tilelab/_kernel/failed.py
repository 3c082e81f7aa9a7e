# SPDX-License-Identifier: Apache-2.0
"""The last run of the simulator that found something: its block's machine as it was at the first finding."""

from .registry import known

last = None


class Failed:
    """.name, .level, .findings; .outcome in words; .state: buffers and agents."""

    def __init__(self, name, level, result):
        self.name, self.level, self.findings = name, level, result["findings"]
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
        last = Failed(known(kernel).full_name, level, {"findings": result["findings"], "failed": result["failed"]})
