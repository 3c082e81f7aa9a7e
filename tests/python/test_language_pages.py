# SPDX-License-Identifier: Apache-2.0
"""The documents that a session shows: found, split into sections, and printed as text."""

import inspect
import pathlib
import tempfile
import unittest

import support  # noqa: F401
import tilelang
import tilelang.language as T
from tilelab._compiler import language_pages, markdown

PAGE = """# Observing

About the chapter.

```python
## not a heading
```

## T.one, T.two

### Rules

- first
- second, `## T.no`

## T.three

    y = x
"""


class Pages(unittest.TestCase):
    def test_a_chapter_has_a_title_a_text_and_sections_with_parts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "08-observing.md")
            path.write_text(PAGE)
            chapter = language_pages.read_chapter(path)
        self.assertEqual((chapter.title, chapter.number), ("Observing", 8))
        self.assertIn("## not a heading", chapter.text)
        self.assertEqual([section.names for section in chapter.sections], [("T.one", "T.two"), ("T.three",)])
        self.assertEqual(chapter.sections[0].parts, {"Rules": "- first\n- second, `## T.no`"})

    def test_an_entry_is_signature_summary_and_section(self):
        self.assertTrue(T.print.__doc__.startswith('    T.print(obj=None, msg="", warp_group_id=0, warp_id=0)\n\n'))
        self.assertIn("No effect: `warp_group_id`, `warp_id`", T.print.__doc__)
        self.assertIn("\nSemantics\n---------\n", T.print.__doc__)
        self.assertIn("    T.reduce_sum(tile, sums, dim=1)", T.print.__doc__)  # code is indented, not filled

    def test_options_of_hardware_units_are_not_called_ineffective(self):
        self.assertIn("With `tilelab.hardware_units` off, no effect: `num_stages`", T.Pipelined.__doc__)

    def test_every_name_has_an_entry_and_a_place_in_the_listing(self):
        listing = language_pages.listing()
        for name, row in language_pages.rows().items():
            self.assertIn(row.summary.rstrip("."), language_pages.entry(name))
            if row.status == "works":
                self.assertRegex(listing, rf"{name}\b")

    def test_the_decorator_has_its_signature(self):
        self.assertIn("out_idx", inspect.signature(tilelang.jit).parameters)
        self.assertIn("pass_configs : dict", tilelang.jit.__doc__)


class Text(unittest.TestCase):
    def test_paragraphs_are_filled_and_items_hang(self):
        self.assertEqual(markdown.plain("a b\nc d\n\n- e f\n  g h\n- i", 6), "a b c\nd\n\n- e f\n  g h\n- i")

    def test_code_tables_and_headings_keep_their_lines(self):
        self.assertEqual(markdown.plain("## A b\n\n```python\nx  = 1\n```\n| a | b |\n|---|---|\n    y  = 2", 6),
                         "A b\n---\n\n    x  = 1\n| a | b |\n|---|---|\n    y  = 2")


    def test_html_has_the_same_parts(self):
        text = "### A `b`\n\np **q** [r](s.md)\n\n- i\n- `<j>`\n\n| k | l |\n|---|---|\n| m | n |\n\n```python\nx < y\n\nz\n```\n\n    w"
        self.assertEqual(markdown.to_html(text).split("\n", 3), [
            "<p><b>A <code>b</code></b></p>", "<p>p <b>q</b> r</p>", "<ul><li>i</li><li><code>&lt;j&gt;</code></li></ul>",
            '<table><tr><th style="text-align:left">k</th><th style="text-align:left">l</th></tr><tr><td style="text-align:left">m</td>'
            '<td style="text-align:left">n</td></tr></table>\n<pre style="margin-left:1em">x &lt; y\n\nz</pre>\n'
            '<pre style="margin-left:1em">w</pre>'])


if __name__ == "__main__":
    unittest.main()
