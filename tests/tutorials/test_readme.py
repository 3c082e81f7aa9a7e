# SPDX-License-Identifier: Apache-2.0
"""The output in README.md matches tilelab's: test_readme.py TILELAB."""
import os
import re
import subprocess
import sys
import unittest
from xml.etree import ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(sys.argv[1])
with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as readme:
    TEXT = readme.read()
BLOCKS = [re.sub(r"(?m)^    ", "", block) for block in re.findall(r"(?m)(?:^    .*\n|^\n(?=    ))+", TEXT)]
sys.path.insert(0, os.path.join(ROOT, "docs", "screenshots"))
import make  # noqa: E402


def block_with(text):
    found = [block for block in BLOCKS if text in block]
    assert len(found) == 1, (text, len(found))
    return found[0]


def shape(line):
    """A line without its times and errors, which differ from machine to machine."""
    return " ".join(re.sub(r"\d+(\.\d+)?(?= ms)|\d+\.\d+e[-+]\d+", "0", line).split())


class Readme(unittest.TestCase):
    def run_program(self, *arguments, stdin=""):
        done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def test_the_excerpt_of_the_demo(self):
        printed = [shape(line) for line in self.run_program(os.path.join(ROOT, "tutorials", "demo.py")).splitlines()]
        shown = [shape(line) for line in block_with("matmul#1[M=512").splitlines()]
        for line in shown:
            if line not in ("", "..."):
                self.assertIn(line, printed)

    def test_the_first_minute(self):
        printed = self.run_program("--no-init", stdin=block_with("tl[1]>"))  # prompts and all
        self.assertIn("add#1[N=1000]@mp_31", printed)
        self.assertIn("array([2., 2., ", printed)
        self.assertIn('after="infer_layouts"', printed)
        self.assertIn("__global__", printed)
        self.assertIn("IR after insert_barriers, generated code", printed)
        self.assertIn("%passes", printed)

    def test_the_pictures_are_small_and_can_be_regenerated(self):
        shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", TEXT)
        self.assertEqual(set(shown), {f"docs/screenshots/{name}" for name in
                                      [*(scene + ".svg" for scene in make.SCENES), "notebook.png"]})
        for picture in shown:
            self.assertLess(os.path.getsize(os.path.join(ROOT, picture)), 150 * 1024, picture)
        drawn = ElementTree.fromstring(make.shell_picture(PROGRAM, *make.SCENES["finding"]))
        words = " ".join("".join(drawn.itertext()).split())
        for word in ("tl[2]>", "alloc_shared", "race", "iteration i = 0 writes", "help", "1 finding"):
            self.assertIn(word, words)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
