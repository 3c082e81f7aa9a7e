# SPDX-License-Identifier: Apache-2.0
"""test_run.py TILELAB: the driver of bench/ runs a cheap row, prints its table and writes its report."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import measure  # noqa: E402
import run  # noqa: E402
import table  # noqa: E402

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 else str(BENCH.parent / "build" / "bin" / "tilelab")


class Driver(unittest.TestCase):
    def run_rows(self, *arguments):
        done = subprocess.run(["/usr/bin/python3", str(BENCH / "run.py"), "--binary", BINARY, "--quick", *arguments],
                              capture_output=True, text=True, timeout=300)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_a_row_is_measured_shown_and_written(self):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            text = self.run_rows("--only", "import-memory", "--only", "puzzle-01", "--json", str(report))
            found = json.loads(report.read_text())
        self.assertEqual([r["name"] for r in found["rows"]], ["import-memory", "puzzle-01"])
        for row in found["rows"]:
            self.assertIn(row["state"], ("ok", "MISS"), row)
            self.assertGreater(row["ours"], 0)
            self.assertIn(row["name"], text)
        self.assertIn("load", text.split("\n")[0])
        self.assertRegex(text, r"2 rows, \d missed")

    def test_programs_of_the_table_run(self):
        names = ["captured", "check-puzzle-01", "trace-tile", "first-call", "gemm-passes", "tiny-call", "threads-softmax"]
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            self.run_rows(*(word for name in names for word in ("--only", name)), "--json", str(report))
            found = {row["name"]: row for row in json.loads(report.read_text())["rows"]}
        for name in names:
            self.assertIn(found[name]["state"], ("ok", "MISS"), found[name])

    def test_an_unknown_row_is_named_with_those_that_exist(self):
        done = subprocess.run(["/usr/bin/python3", str(BENCH / "run.py"), "--only", "nonsense"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no row nonsense; there are prompt", done.stderr)

    def test_a_peer_that_is_not_there_is_said(self):
        absent = measure.Setup("", "/usr/bin/python3", "/nonexistent/python3", True)
        row = next(r for r in table.ROWS if r.name == "triton-add")
        entry = run.measure(row, absent)
        self.assertEqual((entry["state"], entry["note"]), ("-", "not measured: pip install triton"))


class Verdicts(unittest.TestCase):
    def check(self, compare, limit, ours, peer, wanted):
        row = measure.Row("r", "", "", "s", compare, limit, None)
        self.assertEqual(run.verdict(row, measure.Measured(ours, peer)), wanted)

    def test_limits(self):
        self.check("at most", 5, 5, None, (True, None))
        self.check("at most", 5, 5.1, 10.2, (False, 2.0))
        self.check("at least", 5, 4.9, None, (False, None))
        self.check("ratio", 100, 2, 200, (True, 100.0))
        self.check("ratio", 100, 2, 199, (False, 99.5))
        self.check("ratio", 100, 2, None, (False, None))

    def test_rows_have_names_of_their_own(self):
        names = [r.name for r in table.ROWS]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
