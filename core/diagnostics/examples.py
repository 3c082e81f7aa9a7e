#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples.py SOURCE_ROOT FOLDER: writes FOLDER/diagnostic_examples.cpp, an example of each message and each kind
of finding for %explain, and FOLDER/docs/diagnostics.md, the reference of messages. The build runs it. An example is
the first golden text under tests/ that shows the message, so it is always up to date."""
import ast
import pathlib
import re
import sys

GOLDEN = ["tests/wrong/*.py", "tests/bugs/*.py", "tests/checks/*.py", "tests/elaborate/*.txt", "tests/passes/diag/*.py",
          "tests/ir/diag/*.py", "tests/passes/*/*.py", "tests/codegen/text/*.py"]  # kernels before IR texts
FINDINGS = ["tests/bugs/*.py", "tests/checks/*.py", "tests/findings/*.py"]
TABLES = [f"core/diagnostics/{table}.def" for table in ("diagnostics", "elaborate", "usage")]
FINDING_TABLE = "core/sim/machine/findings.def"

ROW = re.compile(r'^DIAGNOSTIC\((\w+),\s*(\w+),\s*((?:"(?:[^"\\]|\\.)*"[\s,]*)+)\)', re.M)
TEXT = re.compile(r'((?:"(?:[^"\\]|\\.)*"\s*)+)')  # adjacent literals are one text


def files(root, patterns):
    for pattern in patterns:
        yield from sorted(root.glob(pattern))


def rows(root):
    """(name, severity, message, explanation) of each row of the tables of messages."""
    for table in TABLES:
        for name, severity, texts in ROW.findall((root / table).read_text(encoding="utf-8")):
            message, explanation = (ast.literal_eval(f"({text})") for text in TEXT.findall(texts))
            yield name.replace("_", "-"), severity, message, explanation


def unmarked(text):
    return [line.removeprefix("#>").removeprefix(" ") if line.startswith("#>") else line for line in text.splitlines()]


def messages(text, kinds="error|warning|note"):
    """(name, whole message) of each message in a golden text."""
    lines = unmarked(text)
    starts = [i for i, line in enumerate(lines) if re.search(rf"^(?:\w+: )?(?:{kinds})\[", line)]
    for at in starts:
        end = next((i for i in range(at + 1, len(lines)) if not lines[i].strip() or i in starts), len(lines))
        body = "\n".join(lines[at:end])
        yield re.search(r"\[([a-z-]+)\]", body).group(1), body


def examples(root):
    """{name: the first message of that name}."""
    found = {}
    for file in files(root, GOLDEN):
        for name, body in messages(file.read_text(encoding="utf-8")):
            found.setdefault(name, re.sub(r"^\w+: (?=error|warning|note)", "", body))
    return found


def findings(root):
    """{kind: the first finding of that kind, or ""}, without the levels that found it."""
    kinds = re.findall(r'^FINDING\(\w+, "([\w-]+)"', (root / FINDING_TABLE).read_text(encoding="utf-8"), re.M)
    found = dict.fromkeys(kinds, "")
    for file in files(root, FINDINGS):
        lines = unmarked(file.read_text(encoding="utf-8"))
        for at, line in enumerate(lines):
            kind = line.partition(": ")[0]
            end = next((i for i in range(at, len(lines)) if lines[i].startswith("help: ")), None)
            if end and found.get(kind) == "":
                found[kind] = "\n".join(lines[at:end + 1])
    return found


def source(texts):
    made = "".join(f'      {{"{name}", R"~({text})~"}},\n' for name, text in texts.items() if text)
    return f"""// Made by core/diagnostics/examples.py from the golden texts under tests/.
#include "core/diagnostics/usage.h"

namespace tilelab {{

std::string_view example_of(std::string_view name) {{
  static constexpr std::string_view examples[][2] = {{
{made}  }};
  for (const auto& [known, text] : examples)
    if (known == name) return text;
  return "";
}}

}}  // namespace tilelab
"""


def page(root, texts):
    out = "# Messages\n\nEvery message of tilelab by its name, with an example from the tests.\n"
    for name, severity, message, explanation in sorted(rows(root)):
        out += f"\n## {name}\n\n{severity}: `{message}`\n\n{explanation}\n"
        if name in texts:
            out += f"\n```text\n{texts[name]}\n```\n"
    return out


def write(file, text):
    """Writes the file if that changes it: what is compiled from it is not compiled again for nothing."""
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def main(root, folder):
    texts = examples(root)
    made = folder / "diagnostic_examples.cpp"
    write(made, source({**findings(root), **texts}))  # a message of a finding's name goes first
    write(folder / "docs/diagnostics.md", page(root, texts))
    # For ninja: the files read, and their folders, which change when a file is added or removed.
    read = sorted(files(root, GOLDEN + FINDINGS + TABLES + [FINDING_TABLE]))
    read += sorted({file.parent for file in read})
    (folder / "diagnostic_examples.d").write_text(f"{made}: " + " ".join(map(str, read)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
