# SPDX-License-Identifier: Apache-2.0
"""messages.py SOURCE_ROOT: every row of core/diagnostics/diagnostics.def is shown by some golden text,
every message about a kernel says what to do, and core/diagnostics/examples.def has each message as
the golden text has it, for %explain and docs/diagnostics.md. TILELAB_BLESS=1 writes the examples."""
import os
import pathlib
import re
import sys

# Rows that no golden text shows, with the reason.
UNSHOWN = {}
# Messages that no text of a user's leads to.
WITHOUT_EXAMPLE = {"pass-level": "passes that are run one by one, by a test"}
# Messages without a help, with the reason.
WITHOUT_HELP = {
    "builtin-planned": "the note says what the function will be; there is nothing to do",
    "builtin-refused": "the note says why",
}
GOLDEN = ["tests/wrong/*.py", "tests/bugs/*.py", "tests/checks/*.py", "tests/elaborate/*.txt", "tests/passes/diag/*.py",
          "tests/ir/diag/*.py", "tests/passes/*/*.py", "tests/codegen/text/*.py", "tests/codegen/walk_test.cpp",
          "tests/unit/parser_test.cpp"]
ABOUT_KERNELS = ["tests/wrong/*.py", "tests/elaborate/*.txt", "tests/passes/diag/*.py"]


def files(root, patterns):
    for pattern in patterns:
        yield from sorted(root.glob(pattern))


def rows(root):
    text = "".join((root / f"core/diagnostics/{table}.def").read_text(encoding="utf-8")
                   for table in ("diagnostics", "usage"))
    return [name.replace("_", "-") for name in re.findall(r"^DIAGNOSTIC\((\w+)", text, re.M)]


def shown(root):
    """Names in messages: `error[name]`, and `line:column name:` of the parser's short form."""
    found = set()
    for file in files(root, GOLDEN):
        text = file.read_text(encoding="utf-8")
        found.update(re.findall(r"(?:error|warning|note)\[([a-z-]+)\]", text))
        found.update(re.findall(r'"\d+:\d+ ([a-z-]+):', text))
    return found


EXAMPLES_HEAD = """// SPDX-License-Identifier: Apache-2.0
// EXAMPLE(name, text): a message as a golden text has it. Made by tests/messages.py with TILELAB_BLESS=1.
// clang-format off
"""


def examples(root):
    """{name: the first message of that name}, of kernels before those of IR texts."""
    found = {}
    for file in files(root, GOLDEN):
        if file.suffix == ".cpp":
            continue
        for name, body in messages(file.read_text(encoding="utf-8"), "error|warning|note"):
            found.setdefault(name, re.sub(r"^\w+: (?=error|warning|note)", "", body))
    return found


def examples_text(root):
    found = examples(root)
    rows = "".join(f'EXAMPLE("{name}", R"~({found[name]})~")\n' for name in names_in_order(root, found))
    return EXAMPLES_HEAD + rows + "// clang-format on\n"


def names_in_order(root, found):
    return [name for name in rows(root) if name in found]


def check_examples(root, problems):
    file = root / "core/diagnostics/examples.def"
    text = examples_text(root)
    if os.environ.get("TILELAB_BLESS"):
        file.write_text(text, encoding="utf-8")
    elif not file.exists() or file.read_text(encoding="utf-8") != text:
        problems.append("core/diagnostics/examples.def is not what the golden texts have: "
                        "TILELAB_BLESS=1 python3 tests/messages.py .")
    found = examples(root)
    problems += [f"no example of {name}" for name in rows(root) if name not in found and name not in WITHOUT_EXAMPLE]
    problems += [f"{name} is excused, but has an example" for name in WITHOUT_EXAMPLE if name in found]


def messages(text, kinds="error|warning"):
    """(name, whole message) of each message in a golden text."""
    lines = [line.removeprefix("#>").removeprefix(" ") if line.startswith("#>") else line for line in text.splitlines()]
    starts = [i for i, line in enumerate(lines) if re.search(rf"^(?:\w+: )?(?:{kinds})\[", line)]
    for at in starts:
        end = next((i for i in range(at + 1, len(lines)) if not lines[i].strip() or i in starts), len(lines))
        body = "\n".join(lines[at:end])
        yield re.search(r"\[([a-z-]+)\]", body).group(1), body


def main(root):
    problems, count = [], 0
    names, seen = rows(root), shown(root)
    problems += [f"no golden text shows {name}" for name in names if name not in seen | set(UNSHOWN)]
    problems += [f"{name} is excused, but shown" for name in UNSHOWN if name in seen]
    problems += [f"{name} is no row of the table" for name in seen - set(names)]
    for file in files(root, ABOUT_KERNELS):
        for name, body in messages(file.read_text(encoding="utf-8")):
            count += 1
            if name not in WITHOUT_HELP and "\nhelp: " not in body:
                problems.append(f"{file.relative_to(root)}: no help\n{body}")
    check_examples(root, problems)
    print("\n".join(problems))
    print(f"{len(names)} rows, {count} messages about kernels, {len(problems)} problems")
    return 1 if problems or count < 150 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
