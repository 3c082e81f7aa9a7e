# SPDX-License-Identifier: Apache-2.0
"""pages.py FOLDER BUILD: writes the Markdown pages of the site. Run by tilelab itself, whose tables they are made of."""

import json
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import operators  # noqa: E402
import reference  # noqa: E402
from links import Links  # noqa: E402

# (caption, folder of the site, pages of the repository in order); a pattern selects its files, sorted.
PARTS = [
    ("Start", "start", ["docs/start.md"]),
    ("Guide", "guide", ["docs/guide/*.md"]),
    ("How-tos", "howto", ["docs/howto/*.md", "docs/puzzles.md", "docs/deploy.md"]),
    ("Tutorials", "tutorials", ["tutorials/*.ipynb", "tutorials/debugger/*.ipynb"]),
    ("Reference", "reference", ["docs/language/index.md", "docs/language/[0-9]*.md", "docs/language/dtypes.md", "docs/commands/*.md",
                                "docs/command-line.md", "docs/options.md", "docs/diagnostics.md"]),
    ("Operators", "operators", []),
    ("MUSA", "musa", ["docs/musa-hardware.md", "docs/musa-emulation.md"]),
    ("Internals", "internals", ["ARCHITECTURE.md", "docs/ir.md", "CONTRIBUTING.md", "docs/peers.md", "CHANGELOG.md", "docs/adr/README.md",
                                "docs/adr/[0-9]*.md"]),
    ("Glossary", "", ["docs/glossary.md"]),
]


def page_of(folder, source):
    """Where a page of the repository is in the site."""
    path = pathlib.PurePosixPath(source)
    inner = {"docs/adr": "adr", "docs/language": "language", "docs/commands": "commands", "tutorials/debugger": "debugger"}.get(str(path.parent), "")
    name = "index" if path.name == "README.md" else path.stem.lower()
    return str(pathlib.PurePosixPath(folder, inner, name + ".md"))


def sources():
    """{path in the repository: path in the site}, in the order of PARTS."""
    found = {}
    for _, folder, patterns in PARTS:
        for pattern in patterns:
            for path in sorted(ROOT.glob(pattern)):
                name = str(path.relative_to(ROOT))
                if not (pattern.startswith("docs/language") and path.name == "README.md"):
                    found[name] = page_of(folder, name)
    return found


def transcript(path):
    """What the shell prints for each cell of a notebook, from the text beside it."""
    if not path.exists():
        return []
    cells = re.split(r"^tl\[\d+\]> ", path.read_text(encoding="utf-8"), flags=re.M)[1:]
    return [re.sub(r"^(?: +\.\.\. ?.*\n)*", "", cell.partition("\n")[2]).rstrip() for cell in cells]


def notebook(path):
    """A notebook as Markdown."""
    out, shown = [], iter(transcript(path.with_suffix(".txt")))
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            out.append(text)
            continue
        out.append(f"```python\n{text}\n```")
        if printed := next(shown, ""):
            out.append(f"```text\n{printed}\n```")
    return "\n\n".join(out) + f"\n\nThis page is the notebook `{path.relative_to(ROOT)}`.\n"


def toctree(caption, pages, depth=1):
    named = f":caption: {caption}\n" if caption else ""
    return f"\n```{{toctree}}\n:hidden:\n{named}:maxdepth: {depth}\n\n" + "\n".join(pages) + "\n```\n"


def without_suffix(page):
    return page.removesuffix(".md")


def contents(pages, made):
    """The tables of contents, which the front page holds."""
    out = ""
    for caption, folder, _ in PARTS:
        own = [without_suffix(page) for page in [*pages.values(), *made]
               if page.startswith(folder + "/") or not folder and page == "glossary.md"]
        own = [page for page in own if not page.startswith("internals/adr/") or page.endswith("/index")]
        out += toctree(caption, own) if own else ""
    return out


def main(folder, build):
    shutil.rmtree(folder, ignore_errors=True)
    pages = sources()
    names = reference.names_with_labels(pages)
    links = Links(ROOT, pages, names)
    made = {**reference.generated(build), **operators.generated()}
    for source, page in pages.items():
        path = ROOT / source
        text = notebook(path) if path.suffix == ".ipynb" else path.read_text(encoding="utf-8")
        text = reference.completed(path, text, str(build / "bin/tilelab"))
        if page.endswith("adr/index.md"):
            text += toctree("", [without_suffix(pathlib.PurePosixPath(p).name) for s, p in pages.items() if re.match(r"docs/adr/\d", s)])
        write(folder / page, links.named(links.moved(text, source, page)))
    for page, text in made.items():
        write(folder / page, links.named(text))
    front = links.moved((ROOT / "docs/index.md").read_text(encoding="utf-8"), "docs/index.md", "index.md")
    write(folder / "index.md", links.named(front) + contents(pages, made))
    for source, page in links.files.items():
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, folder / page)
    shutil.copytree(ROOT / "docs/site/static", folder / "_static")
    shutil.copy(ROOT / "docs/site/conf.py", folder)
    for problem in links.problems:
        print(problem)
    print(f"{len(pages) + len(made) + 1} pages in {folder}, {len(links.problems)} links to nothing")
    return 1 if links.problems else 0


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
