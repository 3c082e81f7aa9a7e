# SPDX-License-Identifier: Apache-2.0
"""messages.py SOURCE_ROOT: every row of core/diagnostics/diagnostics.def is shown by some golden text,
and every message about a kernel says what to do."""
import pathlib
import re
import sys

# Rows that no golden text shows, with the reason.
UNSHOWN = {}
# Messages without a help, with the reason.
WITHOUT_HELP = {
    "builtin-planned": "the note says what the function will be; there is nothing to do",
    "builtin-refused": "the note says why",
}
GOLDEN = ["tests/wrong/*.py", "tests/bugs/*.py", "tests/checks/*.py", "tests/elaborate/*.txt", "tests/passes/diag/*.py",
          "tests/ir/diag/*.py", "tests/codegen/text/*.py", "tests/codegen/walk_test.cpp",
          "tests/unit/parser_test.cpp"]
ABOUT_KERNELS = ["tests/wrong/*.py", "tests/elaborate/*.txt", "tests/passes/diag/*.py"]


def files(root, patterns):
    for pattern in patterns:
        yield from sorted(root.glob(pattern))


def rows(root):
    text = (root / "core/diagnostics/diagnostics.def").read_text(encoding="utf-8")
    return [name.replace("_", "-") for name in re.findall(r"^DIAGNOSTIC\((\w+)", text, re.M)]


def shown(root):
    """Names in messages: `error[name]`, and `line:column name:` of the parser's short form."""
    found = set()
    for file in files(root, GOLDEN):
        text = file.read_text(encoding="utf-8")
        found.update(re.findall(r"(?:error|warning|note)\[([a-z-]+)\]", text))
        found.update(re.findall(r'"\d+:\d+ ([a-z-]+):', text))
    return found


def messages(text):
    """(name, whole message) of each message in a golden text."""
    lines = [line.removeprefix("#>").removeprefix(" ") if line.startswith("#>") else line for line in text.splitlines()]
    starts = [i for i, line in enumerate(lines) if re.search(r"^(?:\w+: )?(?:error|warning)\[", line)]
    for at in starts:
        end = next((i for i in range(at, len(lines)) if not lines[i].strip()), len(lines))
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
    print("\n".join(problems))
    print(f"{len(names)} rows, {count} messages about kernels, {len(problems)} problems")
    return 1 if problems or count < 150 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
