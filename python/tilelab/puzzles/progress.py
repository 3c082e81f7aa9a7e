# SPDX-License-Identifier: Apache-2.0
"""A learner's progress: a file in the user's state directory, written atomically, also by several processes."""

import contextlib
import json
import os

from .._compiler.state_files import replace_file, state_folder, state_path


def path():
    return state_path("puzzles.json")


def read():
    """{number: {"tries": ..., "solved": ..., "within": ..., "hints": ...}}; empty if the file can't be read."""
    try:
        with open(path(), encoding="utf-8") as file:
            data = json.load(file)
        return {int(key): dict(entry) for key, entry in data.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


@contextlib.contextmanager
def _locked(name):
    """A lock for writers, if the system has file locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with open(name + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def change(number, change):
    """Calls `change(entry)` on a puzzle's entry. If the directory is not writable, only the progress is lost."""
    name = path()
    try:
        state_folder()
        with _locked(name):
            data = read()
            change(data.setdefault(number, {}))
            replace_file(name, json.dumps({str(key): data[key] for key in sorted(data)}, indent=1).encode())
    except OSError:
        return False
    return True


def tried(number, solved, within):
    def note(entry):
        entry["tries"] = entry.get("tries", 0) + 1
        entry["solved"] = bool(entry.get("solved") or solved)
        entry["within"] = bool(entry.get("within") or (solved and within))
    return change(number, note)


def hinted(number, step):
    return change(number, lambda entry: entry.update(hints=max(step, entry.get("hints", 0))))


def knows_solution(number, steps):
    """Whether a learner may see the solution: after solving the puzzle, or after all hints."""
    entry = read().get(number, {})
    return bool(entry.get("solved")) or entry.get("hints", 0) >= steps


def forget():
    with contextlib.suppress(OSError):
        os.unlink(path())
