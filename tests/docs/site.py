# SPDX-License-Identifier: Apache-2.0
"""site.py TILELAB BUILD: writes the pages of the documentation site, and follows every link between them. With TILELAB_LONG and
Sphinx at hand (./bootstrap docs installs it), builds the site as well."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/site"))
from links import LINK, outside_of_code  # noqa: E402


def slug(heading):
    """The anchor that MyST gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def prose(text):
    """The text without its blocks of code."""
    kept = []
    outside_of_code(text, lambda part: kept.append(part) or part)
    return "\n".join(kept)


def problems(folder):
    pages = {path: prose(path.read_text(encoding="utf-8")) for path in folder.rglob("*.md")}
    labels = [label for text in pages.values() for label in re.findall(r"^\(([\w-]+)\)=$", text, re.M)]
    yield from (f"two sections have the label {label}" for label in sorted({label for label in labels if labels.count(label) > 1}))
    anchors = {path: {slug(heading) for heading in re.findall(r"^#{1,3} (.*)$", text, re.M)} for path, text in pages.items()}
    for path, text in pages.items():
        for _, _, target in LINK.findall(re.sub(r"(?<!\[)`[^`\n]*`", "", text)):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            there = (path.parent / file).resolve() if file else path
            if not there.exists() or anchor and anchor not in labels and anchor not in anchors.get(there, ()):
                yield f"{path.relative_to(folder)}: nothing at {target}"


def main(program, build):
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made, "pages")
        done = subprocess.run([program, ROOT / "docs/site/pages.py", folder, build], text=True, capture_output=True)
        print(done.stdout[-3000:] + done.stderr[-3000:])
        found = list(problems(folder.resolve()))
        for problem in found:
            print(problem)
        sphinx = build / "docs-venv/bin/sphinx-build"
        built = 0
        if os.environ.get("TILELAB_LONG") and sphinx.exists():
            built = subprocess.run([sphinx, "-q", "-W", "--keep-going", "-b", "html", folder, pathlib.Path(made, "html")]).returncode
    return 1 if done.returncode or found or built else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve()))
