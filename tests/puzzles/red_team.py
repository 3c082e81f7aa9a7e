#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""red_team.py BUILD: notebooks that attack the grader, as root with Bubblewrap and as another user without; all four
combinations with TILELAB_LONG. No row is forged or lost, no classmate's work is read or changed, no process is left."""
import concurrent.futures
import csv
import functools
import io
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = pathlib.Path(sys.argv.pop(1)).resolve() / "lib" / "tilelab" / "python"
sys.path[:0] = [str(PACKAGE), str(HERE)]

import attacks  # noqa: E402
import cells  # noqa: E402
from tilelab.puzzles import confine, control_group, grade, sandbox  # noqa: E402

UNPRIVILEGED = 65534
HONEST = ("a_honest", "m_honest", "z_honest")
SOLVED = ("solved", "within the budget")


def notebook(*sources):
    return json.dumps({"cells": [{"cell_type": "code", "source": source} for source in sources]})


def contents(folder):
    """What a folder holds, with modes and owners."""
    return {path.name: (path.lstat().st_mode, path.lstat().st_uid, path.is_file() and path.read_bytes())
            for path in sorted(folder.iterdir())}


class Class:
    """A class's folder, its teacher, who is `user`, and what the attacks are after."""

    def __init__(self, folder, user, bubblewrap):
        self.bubblewrap, self.root = bubblewrap, pathlib.Path(folder)
        self.secret = f"secret-{os.urandom(8).hex()}"
        self.places = {name: self.root / name for name in ("class", "temporary", "private")}
        for place in self.places.values():
            place.mkdir()
        (self.places["private"] / "answers.txt").write_text(self.secret)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.identity = {"user": user, "group": user, "extra_groups": []} if os.getuid() == 0 else {}
        self.teacher = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"], **self.identity)  # another program of theirs
        self.facts = {"folder": str(self.places["class"]), "private": str(self.places["private"] / "answers.txt"),
                      "teacher": self.teacher.pid, "port": self.listener.getsockname()[1], "mark": f"attack-{os.urandom(8).hex()}"}
        self._write()
        if user != os.getuid():
            for path in [self.root, *self.root.rglob("*")]:
                os.chown(path, user, user)
        self.before = contents(self.places["class"])

    def _write(self):
        folder = self.places["class"]
        for name in HONEST:
            (folder / f"{name}.ipynb").write_text(notebook("import tilelab as tilelang", "%%puzzle 1\n" + cells.answer(1)))
        for name, source in attacks.ALONE.items():
            (folder / f"{name}.ipynb").write_text(notebook(f"FACTS = {self.facts!r}\n{attacks.HELP}", f"%%puzzle 1\n{source}"))
        tried = ["def act():\n" + textwrap.indent(source.strip(), "    ") + f"\nattempt({name!r}, act)" for name, source in attacks.TRIED.items()]
        (folder / "tries.ipynb").write_text(notebook(f"FACTS = {self.facts!r}\n{attacks.HELP}", *tried, "%%puzzle 1\nreport()"))
        (folder / "random.py").write_text(f"open({str(self.places['temporary'] / 'SHADOWED')!r}, 'w')")

    def grade(self):
        """Runs the command as the teacher, in the class's folder."""
        env = {"PATH": "/usr/bin:/bin" if self.bubblewrap else "/nonexistent", "TMPDIR": str(self.places["temporary"]),
               "HOME": str(self.places["private"]), "PYTHONPATH": str(self.root.parent / "package"), "TOKEN": self.secret}
        main = "from tilelab.puzzles.command_line import main; import sys; sys.exit(main(sys.argv[1:]))"
        table = self.places["private"] / "table.csv"
        self.done = subprocess.run(
            [sys.executable, "-P", "-c", main, "--grade", ".", "--json", "--csv", str(table), "--seconds", "120", "--jobs", "4",
             "--engine", "processes"], cwd=self.places["class"], env=env, **self.identity,
            capture_output=True, stdin=subprocess.DEVNULL, timeout=400, check=False)
        self.table = table.read_text() if table.exists() else ""

    def state_of_teacher(self):
        return pathlib.Path(f"/proc/{self.teacher.pid}/stat").read_text().rpartition(")")[2].split()[0]

    def close(self):
        self.listener.close()
        self.teacher.kill()
        self.teacher.wait()


def for_each(test):
    """The test of each class, in a subtest."""
    @functools.wraps(test)
    def of_all(self):
        for title, one in self.classes.items():
            with self.subTest(title):
                test(self, one)
    return of_all


def needs_all_parts(test):
    """For what does not hold where the system lacks a part of the sandbox; docs/puzzles.md lists what does."""
    return unittest.skipIf(confine.missing(), f"the system lacks {', '.join(confine.missing())}")(test)


class RedTeam(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        confine.adopt_orphans()  # a process that outlives its command becomes a child of this test
        cls.folder = tempfile.TemporaryDirectory(prefix="red-team-")
        cls.addClassCleanup(cls.folder.cleanup)
        root = pathlib.Path(cls.folder.name)
        root.chmod(0o755)
        shutil.copytree(PACKAGE / "tilelab", root / "package" / "tilelab")  # which another user can read
        cls.classes, cls.left_out = {}, {}
        users = {"root": 0, "another user": UNPRIVILEGED} if os.getuid() == 0 else {"this user": os.getuid()}
        # Without TILELAB_LONG each part of the sandbox once: root with Bubblewrap, and another user without it.
        every = os.environ.get("TILELAB_LONG") or len(users) == 1 or not sandbox.namespaces("/usr")
        saved = [] if every else [(0, False), (UNPRIVILEGED, True)]
        if os.uname().machine != "x86_64":
            cls.left_out["system calls by number"] = "the numbers are those of x86-64; other attempts are made everywhere"
        if os.getuid() != 0:
            cls.left_out["root"] = "the test does not run as root"
        for name, user in users.items():
            for bubblewrap in (True, False):
                if (user, bubblewrap) in saved:
                    continue
                title = f"{name} {'with' if bubblewrap else 'without'} Bubblewrap"
                if bubblewrap and not sandbox.namespaces("/usr"):
                    cls.left_out[title] = "Bubblewrap is not installed, or not allowed to make namespaces"
                    continue
                (root / title).mkdir()
                cls.classes[title] = Class(root / title, user, bubblewrap)
                cls.addClassCleanup(cls.classes[title].close)
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(Class.grade, cls.classes.values()))
        cls.took = time.monotonic() - start

    def rows(self, one):
        return {row["notebook"].removesuffix(".ipynb"): row for row in json.loads(one.done.stdout)}

    @for_each
    def test_every_notebook_has_its_row(self, one):
        self.assertEqual(one.done.returncode, 0, one.done.stderr.decode()[-1000:])
        rows = json.loads(one.done.stdout)
        self.assertEqual(sorted(row["notebook"] for row in rows), sorted(name for name in one.before if name.endswith(".ipynb")))
        listed = list(csv.DictReader(io.StringIO(one.table)))
        self.assertEqual([(r["notebook"], r["score"]) for r in listed], [(r["notebook"], str(r["score"])) for r in rows])

    @for_each
    def test_no_mark_is_forged(self, one):
        rows = self.rows(one)
        for name in HONEST:
            self.assertEqual((rows[name]["state"], rows[name]["score"]), ("within the budget", 100), rows[name])
        for name in attacks.ALONE:
            self.assertNotIn(rows[name]["state"], SOLVED, rows[name])
            self.assertEqual(rows[name]["score"], 0, rows[name])

    @needs_all_parts
    @for_each
    def test_no_attempt_succeeds(self, one):
        row = self.rows(one)["tries"]
        self.assertEqual((row["state"], row["why"]), ("error", f"RuntimeError: {len(attacks.TRIED)} tried, succeeded:"), row)

    @for_each
    def test_the_limits_are_named(self, one):
        rows = self.rows(one)
        for name, words in attacks.REASONS.items():
            self.assertIn(words, rows[name]["why"])

    @needs_all_parts
    @for_each
    def test_classmates_work_is_neither_read_nor_changed(self, one):
        self.assertEqual(contents(one.places["class"]), one.before)
        said = one.done.stdout + one.done.stderr + one.table.encode()
        self.assertNotIn(one.secret.encode(), said)
        self.assertEqual((one.places["private"] / "answers.txt").read_text(), one.secret)

    @for_each
    def test_the_terminal_gets_no_control_characters(self, one):
        said = (one.done.stdout + one.done.stderr).decode() + one.table + grade.as_text(json.loads(one.done.stdout))
        self.assertEqual([char for char in said if not char.isprintable() and char != "\n"], [])

    @needs_all_parts
    @for_each
    def test_nothing_is_left(self, one):
        self.assertEqual(list(one.places["temporary"].iterdir()), [])
        self.assertEqual(one.state_of_teacher(), "S")
        one.listener.settimeout(0)
        self.assertRaises(BlockingIOError, one.listener.accept)
        marked = [path for place in ("/tmp", "/var/tmp", "/dev/shm", "/") for path in pathlib.Path(place).glob(f"*{one.facts['mark']}*")]
        self.assertEqual(marked, [])
        time.sleep(0.2)  # what was killed is reaped
        teachers = {one.teacher.pid for one in self.classes.values()}
        while (left := sandbox.descendants().keys() - teachers) and os.waitpid(-1, os.WNOHANG)[0]:
            pass
        self.assertEqual([pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() for pid in left], [])

    def test_what_this_machine_cannot_test(self):
        if confine.missing():
            self.left_out["attempts, the work of classmates, remaining processes"] = f"the system lacks {', '.join(confine.missing())}"
        for title, reason in self.left_out.items():
            print(f"not tested: {title}: {reason}", flush=True)
        print(f"{len(attacks.ALONE) + len(attacks.TRIED)} attacks on {len(self.classes)} graders in {self.took:.1f} s: {', '.join(self.classes)}")
        self.assertTrue(self.classes)


LIMITED = """
import os, sys, time
sys.path[:0] = {path!r}
from tilelab.puzzles import control_group
group = control_group.create({memory}, {tasks})
child = os.fork()
if child == 0:
    group.enter()
    {code}
    os._exit(0)
status = os.waitpid(child, 0)[1]
killed = group.ran_out_of_memory()
group.remove()
print(os.waitstatus_to_exitcode(status), killed, [path for path in group._directories if os.path.exists(path)])
"""


@unittest.skipUnless(control_group.available(), "the system allows this user no control group")
class ControlGroups(unittest.TestCase):
    def limited(self, memory, tasks, code):
        code = LIMITED.format(path=sys.path[:2], memory=memory, tasks=tasks, code=code)
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stdout

    def test_memory_is_limited_together(self):
        half = "x = b'x' * (40 << 20); time.sleep(0.3 if os.fork() else 0.2)"
        self.assertEqual(self.limited(1 << 30, 64, half), "0 False []\n")
        self.assertIn("True []\n", self.limited(64 << 20, 64, f"os.fork(); {half}"))

    def test_tasks_are_limited_together(self):
        five = "[os.fork() or os._exit(time.sleep(0.2) or 0) for _ in range(5)]"
        self.assertEqual(self.limited(1 << 30, 4, five), "1 False []\n")
        self.assertEqual(self.limited(1 << 30, 64, five), "0 False []\n")


class ControlGroupsOfVersion2(unittest.TestCase):
    """In folders like those of the system."""

    def parent(self, own, *limiting):
        with tempfile.TemporaryDirectory() as root:
            for path in limiting:
                os.makedirs(f"{root}{path}", exist_ok=True)
                pathlib.Path(f"{root}{path}/cgroup.subtree_control").write_text("cpu memory pids\n")
            with unittest.mock.patch.multiple(control_group, _MOUNTS=(root,), _own=lambda: {"": own}):
                return [(parent.removeprefix(root), limits) for parent, limits in control_group._parents(5, 6)]

    def test_the_group_is_below_one_that_limits(self):
        limits = {"memory.max": 5, "pids.max": 6}
        self.assertEqual(self.parent("/a/b", "/a/b"), [("/a/b", limits)])
        self.assertEqual(self.parent("/a/b", "/a"), [("/a", limits)])
        self.assertEqual(self.parent("/a/b", ""), [])
        self.assertEqual(self.parent("/", ""), [("", limits)])


if __name__ == "__main__":
    unittest.main()
