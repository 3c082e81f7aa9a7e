#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py TILELAB [PAGE...] [--bless] [--alone]: checks the form and the examples of these pages, or of all. --bless writes the outputs into
the pages; --alone runs each section in a new session."""

import os
import pathlib
import sys

import support

PAGES = ["docs/start.md", "docs/language/*.md", "docs/guide/*.md", "docs/howto/*.md", "docs/commands/*.md", "docs/command-line.md", "docs/options.md"]


def main(program, paths, bless, alone):
    import examples
    import form

    whole = not paths
    paths = paths or sorted(path for pattern in PAGES for path in support.ROOT.glob(pattern))
    found, count = [], 0
    for path in paths:
        page = path.read_text(encoding="utf-8")
        blocks = examples.blocks_of(page)
        separate = alone and path.parent.name in ("language", "commands")
        outputs = (examples.outputs_alone if separate else examples.outputs_of)(program, blocks)
        count += len(blocks)
        if bless:
            path.write_text(examples.blessed(page, blocks, outputs), encoding="utf-8")
            page = path.read_text(encoding="utf-8")
            blocks = examples.blocks_of(page)
        found += [f"{path.name}, {problem}" for problem in examples.problems(page, blocks, outputs)]
    found += form.problems(paths)
    if whole:
        found += form.problems_of_all(program)
        print(form.counts())
    for problem in found:
        print(problem)
    print(f"{len(paths)} pages, {count} examples, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    program = os.path.abspath(words[0])
    support.use(program)
    sys.exit(main(program, [pathlib.Path(word).resolve() for word in words[1:]], "--bless" in sys.argv,
                  "--alone" in sys.argv or bool(os.environ.get("TILELAB_LONG"))))
