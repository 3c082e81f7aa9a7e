#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vocabulary.py finds the words that it lists, and leaves ordinary English alone."""
import unittest

from vocabulary import WORDS, dialect_names, is_checked, vocabulary


def words(text, path="docs/page.md"):
    return [found for _, found, _ in vocabulary(path, text)]


class Vocabulary(unittest.TestCase):
    def test_each_row_finds_a_word(self):
        text = ("each turn; threads meet; in front of it; behind it; is told; stands here; lies here; a slow road; looks at it; by hand; "
                "of its own; of run time; anew; nobody; is no error; goes on; what is left; shared out; goes outside; changes hands; "
                "runs ahead; who holds what; both ways; not to be had; landed; abreast")
        found = vocabulary("docs/page.md", text)
        self.assertEqual({instead for _, _, instead in found}, {instead for _, instead in WORDS})
        self.assertEqual(len(found), len(WORDS), found)

    def test_lines_and_words_that_a_line_break_cuts(self):
        self.assertEqual(vocabulary("docs/page.md", "A\nB is in\nfront of C"), [(2, "in front of", "before")])

    def test_ordinary_uses(self):
        self.assertEqual(words("TMA stands for the tensor memory accelerator; a stand-alone program. It turns off the pass, and each in turn. "
                               "There is no barrier, it is no longer needed. Understand the server behind a proxy. This turns into a loop."), [])

    def test_code_of_markdown_is_left_out(self):
        self.assertEqual(words("Run `told()` now:\n\n    behind = nobody\n\n```\nroad\n```\n"), [])
        self.assertEqual(words("road = 1", "core/x.h"), ["road"])

    def test_cells_of_notebooks(self):
        text = '{"cells": [{"cell_type": "markdown", "source": ["It is ", "behind"]}, {"cell_type": "code", "source": ["nobody"]}]}'
        self.assertEqual(words(text, "tutorials/a.ipynb"), ["behind"])

    def test_old_words_of_the_glossary(self):
        self.assertEqual(words("### barrier\nA point.\n\nOld words: meet,\nmeeting.\n\nIt is behind.\n"), ["behind"])

    def test_paths(self):
        self.assertTrue(is_checked("README.md"))
        self.assertTrue(is_checked("core/ir/node.h"))
        self.assertFalse(is_checked("docs/screenshots/shell.svg"))

    def test_names(self):
        self.assertEqual([name for _, name, _ in dialect_names("core/x.cpp", 'int told_ = f("told"); // told\nBankCure c, returned;')],
                         ["told_", "BankCure"])
        self.assertEqual(dialect_names("a.py", "x = 1  # told\n\n\ndef in_turns(y): return 'met'\n"), [(4, "in_turns", "iteration")])
        self.assertEqual(dialect_names("README.md", "told"), [])


if __name__ == "__main__":
    unittest.main()
