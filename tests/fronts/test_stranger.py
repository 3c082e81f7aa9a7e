# SPDX-License-Identifier: Apache-2.0
"""test_stranger.py TILELAB: a stranger's notebook under tilelab and under ipykernel, cell by cell.

Runs in a Python with ipykernel, jupyter_client, matplotlib, ipywidgets, numpy and pandas. `--show` prints the outputs that
differ."""

import difflib
import os
import re
import sys
import tempfile
import time
import unittest

from place import NAME, PATIENCE, Place
from stranger import CELLS

import jupyter_client

SHOW = "--show" in sys.argv and not sys.argv.remove("--show")
# Cells whose outputs differ by intention, with the reason.
DIFFERENT = {
    "print": "tilelab keeps the order of stdout and stderr",
    "plot_open": "Python's repr(), not IPython's",
    "config": "Python's repr(), not IPython's",
    "exit_code": "Python's repr(), not IPython's",
    "error": "short tracebacks",
    "syntax": "cells have numbers",
    "warning": "cells have numbers",
    "shell": "lines end as programs write them",
    "cat": "lines end as programs write them",
    "writefile": "commands answer by views",
    "env": "commands answer by views",
    "time": "commands answer by views",
    "lsmagic": "tilelab has other commands",
    "script_error": "its own class of errors",
    "html_magic": "no line end after the last line",
    "long": "lists fill their lines",
}
MEASURED = re.compile(r"0x[0-9a-f]+|\d+(\.\d+)? (n|u|µ|m)?s\b|\b[0-9a-f]{32}\b")


def _text(value):
    return MEASURED.sub("#", value if isinstance(value, str) else "".join(value))


def _bundle(content):
    """The forms of a display: texts as they are, pictures by their presence."""
    out = {}
    for mime, value in content["data"].items():
        if mime.startswith("image/"):
            out[mime] = "picture"
        elif mime == "application/vnd.jupyter.widget-view+json":
            out[mime] = "widget"
        else:
            out[mime] = _text(value) if isinstance(value, (str, list)) else value
    return out


class Notebook:
    """A kernel that runs cells; each gives a list of what a front end shows."""

    def __init__(self, name, directory, env):
        self.manager, self.client = jupyter_client.manager.start_new_kernel(kernel_name=name, cwd=directory, env=env, startup_timeout=PATIENCE)
        self.comms = {}

    def run(self, code):
        request = self.client.execute(code)
        reply = self.client.get_shell_msg(timeout=PATIENCE)
        while reply["parent_header"].get("msg_id") != request:
            reply = self.client.get_shell_msg(timeout=PATIENCE)
        shown, pending, end = [], False, time.monotonic() + PATIENCE
        while time.monotonic() < end:
            message = self.client.get_iopub_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") != request:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                break
            if pending and kind not in ("status", "comm_open", "comm_msg"):
                shown, pending = [], False
            if kind == "stream":
                if shown and shown[-1][:2] == ["stream", content["name"]]:
                    shown[-1][2] += content["text"]
                else:
                    shown.append(["stream", content["name"], content["text"]])
            elif kind == "clear_output":
                pending = True
                if not content["wait"]:
                    shown, pending = [], False
            elif kind in ("display_data", "execute_result", "update_display_data"):
                shown.append([kind, _bundle(content), content.get("metadata")])
            elif kind == "error":
                shown.append([kind, content["ename"], content["evalue"]])
            elif kind == "comm_open":
                state = content["data"].get("state", {})
                shown.append([kind, content["target_name"], state.get("_model_name")])
        for entry in shown:
            if entry[0] == "stream":
                entry[2] = _text(entry[2])
        return [reply["content"]["status"], *shown]

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


class Stranger(unittest.TestCase):
    def test_each_cell_shows_what_ipykernel_shows(self):
        place = Place()
        self.addCleanup(place.close)
        answers = {}
        for name in (NAME, "python3"):
            with tempfile.TemporaryDirectory() as directory:
                notebook = Notebook(name, directory, place.env)
                try:
                    answers[name] = {label: notebook.run(code) for label, code in CELLS}
                finally:
                    notebook.close()
        different = []
        for label, code in CELLS:
            ours, theirs = answers[NAME][label], answers["python3"][label]
            if ours == theirs:
                continue
            if SHOW:
                print(f"--- {label}: {code[:70]!r}" + (f"   ({DIFFERENT[label]})" if label in DIFFERENT else ""))
                print("\n".join(difflib.unified_diff([repr(e) for e in theirs], [repr(e) for e in ours], "ipykernel", "tilelab", lineterm="", n=0)))
            if label not in DIFFERENT or ours[0] != theirs[0]:
                different.append(label)
        self.assertEqual(different, [])
        print(f"{len(CELLS)} cells, {sum(answers[NAME][label] == answers['python3'][label] for label, _ in CELLS)} equal")


if __name__ == "__main__":
    unittest.main()
