#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""grading.py BUILD [--long]: a class's notebooks, among them some that end, hang, crash or forge results, are graded in parallel;
each costs its own row. --long: 200 notebooks, with the time that they took."""
import contextlib
import csv
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest
import unittest.mock

LONG = "--long" in sys.argv and not sys.argv.remove("--long")
HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = pathlib.Path(sys.argv.pop(1)).resolve() / "lib" / "tilelab" / "python"
sys.path[:0] = [str(PACKAGE), str(HERE)]
os.environ["PYTHONPATH"] = str(PACKAGE)

import cells  # noqa: E402
from tilelab.puzzles import confine, grade, graded, notebook, sandbox, warden  # noqa: E402
from tilelab.puzzles.task import numbers, task  # noqa: E402

SECONDS = 20
COPY = cells.answer(1)
ENDLESS = "        for step in T.Serial(1 << 40):\n            T.copy(A[0:1], B[0:1])\n        T.copy(A[block"
# Code before the answer of puzzle 1, or in its place: the state of its row, and words of its reason.
ODD = {
    "exits": ("import sys\nsys.exit(0)\n" + COPY, "error", "SystemExit"),
    "ends_hard": ("import os\nos._exit(0)\n" + COPY, "crashed", "exited with status 0"),
    "kills_its_parent": ("import os\nos.kill(os.getppid(), 9)\n" + COPY, "error", "PermissionError"),
    "crashes": ("import os\nos.abort()\n" + COPY, "crashed", "SIGABRT"),
    "forges_its_result": ("import os\nfor fd in range(3, 20):\n    try:\n        os.write(fd, b'{\"copy\": {\"texts\": [1, 2]}}\\n')\n"
                          "    except OSError:\n        pass\nos._exit(0)\n", "wrong", ""),
    "patches_the_judge": ("import numpy as np, tilelab.puzzles.mismatch as w\nw.mask = lambda *a: np.zeros(1, bool)\n"
                          + COPY.replace("B[block * TILE:(block + 1) * TILE]", "B[0:TILE]"), "wrong", ""),
    "eats_memory": ("x = bytearray(10**12)\n" + COPY, "error", "MemoryError"),
    "talks": ("print('x' * 10**7)\n" + COPY, "within the budget", ""),
    "no_python": ("def copy(:\n", "error", "SyntaxError"),
    "leaves_a_process": ("import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)\n" + COPY,
                         "within the budget", ""),
    "hides_its_traffic": (COPY.replace('    B = T.empty((N,), "float16")', '    B = T.empty((N,), "float16")\n    C = T.empty((N,), "float16")')
                          .replace("return B", "return B, C"), "wrong", "copy returns 2 tensors, but the puzzle needs one"),
    "wrong_name": (COPY.replace("def copy", "def copied"), "error", "no cell defines copy"),
}
SLOW = {
    "hangs": ("while True:\n    pass\n" + COPY, "time", "the notebook ran for"),
    "kernel_hangs": (COPY.replace("        T.copy(A[block", ENDLESS), "time", "its kernel was simulated"),
}


confine.adopt_orphans()


def written(folder, name, number, code):
    data = notebook.content(number)
    if code is not None:
        data["cells"][2]["source"] = f"%%puzzle {number}\n{code}"
    pathlib.Path(folder, name + ".ipynb").write_text(json.dumps(data))


def rows_by_name(rows):
    return {row["notebook"].removesuffix(".ipynb"): row for row in rows}


class Grading(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def graded(self, **options):
        return rows_by_name(grade.grade(self.folder.name, **{"seconds": SECONDS, "engine": "processes", **options}))

    def test_odd_notebooks_cost_their_own_row(self):
        for name, (code, _, _) in ODD.items():
            written(self.folder.name, name, 1, code)
        written(self.folder.name, "good", 5, cells.answer(5))
        written(self.folder.name, "unsolved", 3, None)
        pathlib.Path(self.folder.name, "broken.ipynb").write_text("{")
        pathlib.Path(self.folder.name, "other.ipynb").write_text('{"cells": []}')
        rows = self.graded()
        for name, (_, state, why) in ODD.items():
            with self.subTest(name):
                self.assertEqual(rows[name]["state"], state, rows[name])
                self.assertIn(why, rows[name]["why"])
        self.assertEqual((rows["good"]["state"], rows["good"]["score"]), ("within the budget", 100))
        self.assertEqual(rows["unsolved"]["state"], "unsolved")
        self.assertEqual((rows["broken"]["state"], rows["other"]["state"]), ("unread", "unread"))
        self.assertFalse(self.left(), "processes of notebooks are left")

    def test_names_and_encodings_of_any_kind(self):
        """Files as they come by mail, from editors of other systems, and from people."""
        folder = pathlib.Path(self.folder.name)
        for name in ("Zoë Müller", "李 小龙", "O'Brien \"b\"; rm -rf", "-dash", "two\nlines", "\udcff"):
            written(folder, name, 1, COPY)
        written(folder, "blank", 1, COPY)
        data = json.loads((folder / "blank.ipynb").read_text())
        data["cells"][2]["source"] = "\n \n  " + data["cells"][2]["source"]
        (folder / "blank.ipynb").write_text(json.dumps(data))
        data["cells"][2]["source"] += "# ä"
        text = json.dumps(data, ensure_ascii=False)
        for encoding in ("utf-8-sig", "utf-16"):
            (folder / f"{encoding}.ipynb").write_bytes(text.encode(encoding))
        (folder / "latin-1.ipynb").write_bytes(text.encode("latin-1"))
        (folder / "empty.ipynb").write_text("")
        (folder / "half.ipynb").write_text('{"cells": [')
        (folder / "gone.ipynb").symlink_to("nowhere")
        rows = self.graded()
        unread = {"latin-1": "is not UTF-8", "empty": "the file is empty", "half": "line 1, column 12 is not JSON",
                  "gone": "a symbolic link"}
        for name, row in rows.items():
            with self.subTest(name):
                self.assertEqual(row["state"], "unread" if name in unread else "within the budget", row)
                self.assertIn(unread.get(name, ""), row["why"])
        self.assertEqual(len(rows), 13)
        text = grade.as_text(list(rows.values()))
        self.assertIn("two?lines.ipynb", text)
        for shown in (text, grade.as_csv(list(rows.values()))):
            shown.encode()

    def test_files_that_are_no_notebooks_cost_a_row(self):
        folder = pathlib.Path(self.folder.name)
        written(folder, "good", 1, COPY)
        os.mkfifo(folder / "fifo.ipynb")
        (folder / "zero.ipynb").symlink_to("/dev/zero")
        (folder / "copied.ipynb").symlink_to("good.ipynb")
        with open(folder / "huge.ipynb", "wb") as file:
            file.truncate(200 << 20)
        cell = {"cell_type": "code", "source": "1"}
        (folder / "many.ipynb").write_text(json.dumps({"cells": [cell] * (graded.MOST_CELLS + 1)}))
        (folder / "long.ipynb").write_text(json.dumps({"cells": [{**cell, "source": "#" * (graded.MOST_CODE + 1)}]}))
        (folder / "deep.ipynb").write_text("[" * 100_000)
        numbers = [{**cell, "source": f"%%puzzle {n}\n"} for n in range(100, 160)]
        (folder / "unknown.ipynb").write_text(json.dumps({"cells": numbers}))
        with unittest.mock.patch.object(grade, "grade_one", wraps=grade.grade_one) as started:
            rows = self.graded()
        self.assertEqual(started.call_count, 1)  # only the good one costs a process
        unread = {"fifo": "not a regular file", "zero": "a symbolic link", "copied": "a symbolic link", "huge": "larger than 16 MB",
                  "many": "more than 1000 code cells", "long": "1 MB of code", "deep": "recursion",
                  "unknown": "unknown puzzle 100, 101, 102; use 1 to 22"}
        self.assertEqual(rows.keys(), {*unread, "good"})
        self.assertEqual(rows["good"]["score"], 100)
        for name, why in unread.items():
            self.assertEqual(rows[name]["state"], "error" if name == "unknown" else "unread")
            self.assertIn(why, rows[name]["why"])

    def test_a_bug_of_the_judge_is_no_mistake_of_the_student(self):
        names = cells.names_of(COPY)
        part = task(1).parts[0]
        texts = [names["copy"].compile(**sizes)._func.text() for sizes in [*part.cases, part.full]]
        with unittest.mock.patch("tilelab.puzzles.judge.judge_size", side_effect=RuntimeError("internal error at x.cpp:1")):
            row = warden._row(1, {"copy": texts})
        self.assertEqual(row, {"state": "crashed", "score": 0, "why": "a bug in tilelab: RuntimeError: internal error at x.cpp:1"})
        row = warden._row(1, {"copy": ["", *texts[1:]]})
        self.assertEqual((row["state"], row["why"]), ("wrong", "error[ir-header]: this IR text is empty"))

    def test_a_row_is_believed_only_in_its_form(self):
        good = {"state": "solved", "score": 70, "why": ""}
        self.assertTrue(grade._is_row(good))
        for bad in ([1, 2, 3], None, {}, {**good, "state": 5}, {**good, "score": "100"}, {**good, "score": 101}, {**good, "score": True},
                    {**good, "why": None}, {**good, "notebook": "b"}, {**good, "state": "\x1b[2J"}):
            self.assertFalse(grade._is_row(bad), bad)

    def left(self):
        """The command lines of processes below this one, which adopts those that outlive their parents."""
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        lines = []
        for pid in sandbox.descendants():
            with contextlib.suppress(OSError):
                lines.append(pathlib.Path(f"/proc/{pid}/cmdline").read_bytes())
        return lines

    def test_an_ended_command_keeps_its_rows_and_leaves_nothing(self):
        written(self.folder.name, "a", 1, COPY)
        written(self.folder.name, "b", 1, "import os, time\nos.fork()\ntime.sleep(1000)")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number), tempfile.TemporaryDirectory() as other:
                table = pathlib.Path(other, "table.csv")
                command = subprocess.Popen(
                    [sys.executable, "-m", "tilelab.puzzles", "--grade", self.folder.name, "--csv", table, "--jobs", "2"],
                    env={**os.environ, "TMPDIR": other}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.wait(lambda: table.exists() and "a.ipynb" in table.read_text())
                command.send_signal(number)
                shown, said = command.communicate(timeout=20)
                self.assertNotEqual(command.returncode, 0)
                if number == signal.SIGINT:
                    self.assertEqual((command.returncode, said.splitlines()[-1]), (130, "tilelab puzzle: interrupted after 1 of 2 rows"))
                    self.assertIn("1 of 1 solved", shown)
                self.assertEqual([row["score"] for row in csv.DictReader(table.read_text().splitlines())], ["100"])
                self.wait(lambda: not self.left())
                self.wait(lambda: os.listdir(other) == ["table.csv"])

    def test_a_folder_that_notebooks_can_read_is_reported(self):
        written(self.folder.name, "a", 1, None)
        done = subprocess.run([sys.executable, "-m", "tilelab.puzzles", "--grade", self.folder.name, "--json"], capture_output=True,
                              text=True, env={**os.environ, "LD_LIBRARY_PATH": os.path.dirname(self.folder.name)}, check=True)
        self.assertIn(f"notebooks can read each other, because {self.folder.name} is in ", done.stderr)

    def test_a_full_disk_loses_no_row(self):
        written(self.folder.name, "a", 1, None)
        done = subprocess.run([sys.executable, "-m", "tilelab.puzzles", "--grade", self.folder.name, "--json", "--csv", "/dev/full"],
                              capture_output=True, text=True)
        self.assertEqual((json.loads(done.stdout)[0]["state"], done.returncode), ("unsolved", 1))
        self.assertEqual(done.stderr.splitlines()[-1], "tilelab puzzle: /dev/full: No space left on device")

    def wait(self, condition):
        end = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), end, self.left())
            time.sleep(0.05)

    def test_missing_parts_are_named(self):
        written(self.folder.name, "a", 1, None)
        done = subprocess.run([sys.executable, "-m", "tilelab.puzzles", "--grade", self.folder.name, "--json"], capture_output=True,
                              text=True, env={**os.environ, "PATH": "/nonexistent"}, check=True)
        self.assertEqual(json.loads(done.stdout)[0]["state"], "unsolved")
        self.assertRegex(done.stderr, r"^tilelab puzzle: the sandbox of this machine lacks namespaces \(install bubblewrap\).*\n$")

    def test_what_never_ends_is_ended(self):
        for name, (code, _, _) in SLOW.items():
            written(self.folder.name, name, 1, code)
        rows = self.graded(seconds=8)  # more than a busy machine takes to start a notebook
        for name, (_, state, why) in SLOW.items():
            self.assertEqual(rows[name]["state"], state, rows[name])
            self.assertIn(why, rows[name]["why"])
        self.assertFalse(self.left())

    def test_the_table_as_text_json_and_csv(self):
        written(self.folder.name, "b", 2, cells.answer(2))
        written(self.folder.name, "=a", 1, COPY.replace("A[block * TILE:(block + 1) * TILE]", "A[0:TILE]"))
        name = os.path.join(self.folder.name, "table.csv")

        def ran(*words):
            return subprocess.run([sys.executable, "-m", "tilelab.puzzles", "--grade", self.folder.name, *words],
                                  capture_output=True, text=True, check=True).stdout

        rows = json.loads(ran("--json", "--csv", name))
        self.assertEqual([(r["notebook"], r["state"]) for r in rows], [("=a.ipynb", "wrong"), ("b.ipynb", "within the budget")])
        self.assertEqual(rows[0]["why"].split(",")[0].split(" is ")[0], "B[4]")
        listed = list(csv.DictReader(io.StringIO(pathlib.Path(name).read_text())))
        self.assertEqual(listed[0]["notebook"], "'=a.ipynb")
        self.assertEqual([r["state"] for r in listed], ["wrong", "within the budget"])
        self.assertIn("1 of 2 solved", grade.as_text(rows))
        wrong = subprocess.run([sys.executable, "-m", "tilelab.puzzles", "--grade", "/nowhere"], capture_output=True, text=True)
        self.assertEqual((wrong.returncode, wrong.stderr), (1, "tilelab puzzle: /nowhere: No such file or directory\n"))

    def test_engines(self):
        """Dask and Ray get the work where they are installed; here in a form that runs it at once."""
        written(self.folder.name, "a", 1, COPY)
        dask = types.SimpleNamespace(delayed=lambda f: lambda *a: lambda: f(*a),
                                     compute=lambda *tasks, scheduler, num_workers: [task() for task in tasks])
        ray = types.SimpleNamespace(init=lambda **_: None, get=lambda value: value, wait=lambda all: (all[:1], all[1:]),
                                    remote=lambda f: types.SimpleNamespace(remote=f))
        for name, module in (("dask", dask), ("ray", ray)):
            with self.subTest(name), unittest.mock.patch.dict(sys.modules, {name: module}):
                run = {"dask": grade._dask, "ray": grade._ray}[name]
                rows = list(run(grade.work_of(self.folder.name)[0], SECONDS, 2))
                self.assertEqual([r["state"] for r in rows], ["within the budget"])
        for name in ("dask", "ray"):
            if grade.importlib.util.find_spec(name) is None:
                with self.assertRaisesRegex(ValueError, f"{name} is not installed"):
                    grade.engine_named(name)

    @unittest.skipUnless(LONG, "--long")
    def test_two_hundred(self):
        wanted = {}
        for i in range(200):
            name, number = f"student{i:03}", numbers()[i % len(numbers())]
            odd = sorted(ODD)[i // 10 % len(ODD)] if i % 10 == 9 else None
            code, wanted[name] = (ODD[odd][0], ODD[odd][1]) if odd else (cells.answer(number), "within the budget")
            if i % 10 == 4:
                code, wanted[name] = None, "unsolved"
            written(self.folder.name, name, 1 if odd else number, code)
        start = time.monotonic()
        rows = self.graded()
        print(f"200 notebooks graded in {time.monotonic() - start:.1f} s on {os.cpu_count()} cores")
        self.assertEqual({name: row["state"] for name, row in rows.items()}, wanted)


if __name__ == "__main__":
    unittest.main()
