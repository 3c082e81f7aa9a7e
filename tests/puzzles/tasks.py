#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tasks.py BUILD: the puzzles as learners get them: every answer is right and within its budget, every unsolved cell
fails with its smallest case, and the check sees what a wrong kernel does."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = pathlib.Path(sys.argv.pop(1)).resolve() / "lib" / "tilelab" / "python"
STATE = tempfile.TemporaryDirectory()
os.environ["XDG_STATE_HOME"] = STATE.name
sys.path[:0] = [str(PACKAGE), str(HERE)]

import cells  # noqa: E402
import numpy as np  # noqa: E402
from tilelab import puzzles  # noqa: E402
from tilelab.puzzles import flow, notebook, picture, progress, mismatch  # noqa: E402
from tilelab.puzzles.task import numbers, task  # noqa: E402


class Tasks(unittest.TestCase):
    def test_there_are_the_ten_public_ones_and_twelve_of_our_own(self):
        self.assertEqual(numbers(), list(range(1, 23)))

    def test_answers_are_right_and_within_the_budget(self):
        for number in numbers():
            with self.subTest(number):
                made = cells.check(number, cells.answer(number))
                self.assertTrue(made.solved and made.within, str(made))
                self.assertTrue(all(r.points == 100 for r in made.results), str(made))

    def test_unsolved_cells_fail_with_their_smallest_case(self):
        for number in numbers():
            with self.subTest(number):
                made = cells.check(number, task(number).body)
                self.assertFalse(made.solved)
                for part, result in zip(task(number).parts, made.results):
                    self.assertEqual((result.failure.kind, result.failure.sizes), ("unsolved", part.cases[0]))
                self.assertIn("it has no T.Kernel", made.headline)

    def test_sizes_have_tails_and_grow(self):
        for number in numbers():
            for part in task(number).parts:
                def elements(sizes):
                    return sum(v.size for v in part.make(np.random.default_rng(1), **sizes))
                counts = [elements(sizes) for sizes in [*part.cases, part.full]]
                self.assertEqual(counts, sorted(counts), (number, part.kernel))
                self.assertGreaterEqual(len(part.cases), 3)

    def test_every_page_has_its_words(self):
        for number in numbers():
            one, page = task(number), puzzles.puzzle(number)
            data = json.loads(page.json)
            self.assertEqual(data["cell"], f"%%puzzle {number}\n{one.body}")
            self.assertEqual(len(one.hints), 3)
            self.assertEqual(len(one.text.strip().split("\n")), 3, one.title)
            for words in (str(page), page.html):
                self.assertIn(one.title, words)
            self.assertIn("<svg", page.html)
            self.assertLessEqual(max(map(len, str(page).split("\n"))), 100, number)
            flat = flow.text(one.flow)
            for _, labels in one.flow:
                for label in labels:
                    self.assertIn(label, flat)
            self.assertTrue(flow.text(one.flow, False).isascii())
            self.assertLessEqual(max(map(len, flat.split("\n"))), 98, flat)

    def test_one_solution_reads_twice_and_this_is_reported(self):
        cell = cells.answer(11).replace("B[at] = A[N - 1 - at]", "B[at] = T.max(A[N - 1 - at], A[N - 1 - at])")
        cell = cell.replace("at = block * TILE + i", "at = block * TILE + i\n            B[at] = A[at]")
        made = cells.check(11, cell)
        self.assertTrue(made.solved and not made.within, str(made))
        self.assertIn("over the budget", str(made))
        self.assertLess(made.results[0].points, 70)


class Wrong(unittest.TestCase):
    """Messages for a wrong result."""

    def verdict(self, number, old, new):
        cell = cells.answer(number)
        self.assertIn(old, cell)
        made = cells.check(number, cell.replace(old, new))
        self.assertFalse(made.solved, str(made))
        return made.results[0].failure

    def test_the_block_and_the_line_that_wrote_it(self):
        failure = self.verdict(1, "A[block * TILE:(block + 1) * TILE]", "A[0:TILE]")
        self.assertEqual(failure.sizes, dict(N=8, TILE=4))
        self.assertIn("B[4] holds the value of B[0]", failure.line)
        self.assertIn("thread 0 (warp 0, lane 0) of block (1, 0) wrote it, in line 7: T.copy(A[0:TILE]", failure.more)
        self.assertEqual((failure.data["element"], failure.data["block"], failure.data["wrong"]), ([4], [1, 0, 0], 4))

    def test_it_was_never_written(self):
        failure = self.verdict(1, "T.ceildiv(N, TILE)", "T.max(N // TILE, 1)")
        self.assertEqual(failure.sizes, dict(N=250, TILE=64))
        self.assertIn("B[192] is never written", failure.line)
        self.assertIn("no block writes B[192:250]", failure.more)

    def test_an_input_is_changed(self):
        cell = cells.answer(1).replace("    return B", "        T.copy(B[0:TILE], A[block * TILE:(block + 1) * TILE])\n    return B")
        self.assertIn(cells.check(1, cell).results[0].failure.kind, ("changed", "found"))

    def test_a_race(self):
        failure = self.verdict(15, "T.atomic_add(h[A[block, j]], 1)", "h[A[block, j]] = h[A[block, j]] + 1")
        self.assertTrue(failure.kind == "found" and failure.line.startswith("race: h["), failure.line)

    def test_likeness(self):
        rng = np.random.default_rng(1)
        right = rng.standard_normal((8, 8)).astype(np.float32)
        all_wrong = np.ones_like(right, bool)
        for got, words in ((right * 2, "each is 2 times"), (right + 1, "each is off by 1"), (right.T.copy(), "transpose"),
                           (right * 0, "all of them are 0"), (right * np.nan, "NaN"), (-right, "each is -1 times")):
            self.assertIn(words, mismatch.likeness("B", got, right, all_wrong, {}))
        rounded = right.astype(np.float16).astype(np.float32)
        self.assertIn("float16 precision", mismatch.likeness("B", rounded, right, all_wrong, {}))
        self.assertNotIn("float16", mismatch.likeness("B", np.ones_like(right), right, all_wrong, {}))
        self.assertEqual(mismatch.region("B", np.eye(3, dtype=bool)), "B[0:3, 0:3] (3 of the 9 there)")

    def test_zeros_are_not_accepted(self):
        """The outputs of all answers, replaced by zeros: tolerances are tight."""
        for number in numbers():
            for part in task(number).parts:
                for sizes in [*part.cases, part.full]:
                    values = part.make(np.random.default_rng(3), **sizes)
                    wide = [v.astype(np.float64) if v.dtype.kind == "f" else v for v in values]
                    expected = np.asarray(part.spec(*wide))
                    slack = part.slack(*wide) if part.slack else 0.0
                    dtype = np.float32 if expected.dtype.kind == "f" else expected.dtype
                    bad = mismatch.mask(np.zeros(expected.shape, dtype), expected, slack)
                    self.assertGreater(bad.sum(), 0.9 * np.count_nonzero(np.abs(expected) > 1e-3), (number, sizes))


class Progress(unittest.TestCase):
    def setUp(self):
        progress.forget()

    def test_many_writers_lose_nothing(self):
        code = "from tilelab.puzzles import progress\nfor _ in range(20): progress.tried(3, False, False)"
        running = [subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(PACKAGE)})
                   for _ in range(5)]
        self.assertEqual([p.wait() for p in running], [0] * 5)
        self.assertEqual(progress.read()[3]["tries"], 100)

    def test_a_broken_file_and_a_directory_that_is_none(self):
        os.makedirs(os.path.dirname(progress.path()), exist_ok=True)
        pathlib.Path(progress.path()).write_text("{not json")
        self.assertEqual(progress.read(), {})
        progress.tried(1, True, False)
        self.assertEqual(progress.read()[1], {"tries": 1, "solved": True, "within": False})
        os.environ["XDG_STATE_HOME"] = "/dev/null/nowhere"
        try:
            self.assertFalse(progress.tried(1, True, True))
            self.assertEqual(progress.read(), {})
        finally:
            os.environ["XDG_STATE_HOME"] = STATE.name

    def test_solved_is_kept_and_hints_continue(self):
        progress.tried(2, True, True)
        progress.tried(2, False, False)
        self.assertEqual(progress.read()[2], {"tries": 2, "solved": True, "within": True})
        steps = [json.loads(puzzles.hint(4).json)["step"] for _ in range(4)]
        self.assertEqual(steps, [1, 2, 3, 3])
        self.assertIn("1 of 22 solved; %puzzle 1 is next", str(puzzles.puzzle()))


class Pictures(unittest.TestCase):
    def drawn(self, shape, *wrong):
        bad = np.zeros(shape, bool)
        for at in wrong:
            bad[at] = True
        drawn = picture.svg("C", bad)
        return drawn.count("<rect"), drawn.count("#d9453d"), drawn.partition("<div>")[2].removesuffix("</div>")

    def test_an_element_is_a_cell_and_wrong_ones_are_red(self):
        self.assertEqual(self.drawn((3, 5), (1, 4), (2, 0)), (15, 2, "C[0:3, 0:5]: 2 of 15 elements are wrong"))
        self.assertEqual(self.drawn((7,), 6), (7, 1, "C[0:7]: 1 of 7 elements are wrong"))
        self.assertEqual(self.drawn((2, 3, 4), (1, 2, 3)), (12, 1, "C[1, 0:3, 0:4]: 1 of 12 elements are wrong"))

    def test_a_large_output_has_cells_of_several_elements(self):
        self.assertEqual(self.drawn((70, 130), (69, 129)), (24 * 44, 1, "C[0:70, 0:130]: 1 of 9100 elements are wrong; a cell is 3 x 3 elements"))
        self.assertEqual(self.drawn((100,), 0), (50, 1, "C[0:100]: 1 of 100 elements are wrong; a cell is 2 elements"))

    def test_a_verdict_shows_it(self):
        wrong = cells.answer(3).replace("c[i, j] = ", "c[i, j] = T.cast(2.0, 'float16') * ")
        made = cells.check(3, wrong)
        self.assertIn("elements are wrong</div>", made.html, str(made))


class Notebooks(unittest.TestCase):
    def test_run_all_gives_no_hint_away(self):
        for cell in notebook.content(3)["cells"]:
            if "%hint" in "".join(cell["source"]) and cell["cell_type"] == "code":
                self.assertTrue(all(line.startswith("#") for line in "".join(cell["source"]).split("\n")), cell["source"])

    def test_every_puzzle_is_a_notebook_of_the_same_words(self):
        with tempfile.TemporaryDirectory() as folder:
            made = notebook.write_all(os.path.join(folder, "all"))
            self.assertEqual(len(made), len(numbers()))
            for number, path in zip(numbers(), sorted(pathlib.Path(folder, "all").iterdir())):
                data = json.loads(path.read_text())
                code = ["".join(c["source"]) for c in data["cells"] if c["cell_type"] == "code"]
                self.assertIn(task(number).whole_cell.rstrip("\n"), code)
                self.assertEqual(data["metadata"]["kernelspec"]["name"], "tilelab")
                words = "".join(data["cells"][0]["source"])
                self.assertIn("data:image/svg+xml;base64,", words)
                # The drawing in a PDF; its letters have no lines.
                drawn = words[words.index("<details>"):words.index("</details>")]
                self.assertIn("-->", drawn)
                self.assertTrue(drawn.isascii())
            with self.assertRaises(FileExistsError):
                notebook.write(1, str(path))


if __name__ == "__main__":
    unittest.main()
