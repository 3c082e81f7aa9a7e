# SPDX-License-Identifier: Apache-2.0
"""messages.py SOURCE_ROOT: every row of the tables of messages is shown by some golden text, every message
says what to do (or helps.def says why not), every kind of finding has an example and a cure, and
core/diagnostics/examples has each as the golden texts have it, for %explain and docs/diagnostics.md.
TILELAB_BLESS=1 writes the examples."""
import os
import pathlib
import re
import sys

# Rows that no golden text shows, with the reason.
UNSHOWN = {"output-not-finite": "the line of a run, no text of a kernel: tests/python/test_not_finite.py"}
# Rows without an example, with the reason.
WITHOUT_EXAMPLE = {**UNSHOWN, "pass-level": "passes that are run one by one, by a test"}
GOLDEN = ["tests/wrong/*.py", "tests/bugs/*.py", "tests/checks/*.py", "tests/elaborate/*.txt", "tests/passes/diag/*.py",
          "tests/ir/diag/*.py", "tests/passes/*/*.py", "tests/codegen/text/*.py", "tests/codegen/walk_test.cpp",
          "tests/unit/parser_test.cpp"]
FINDINGS = ["tests/bugs/*.py", "tests/checks/*.py", "tests/findings/*.py"]
# Sections of diagnostics.def whose examples stand in one file.
AREAS = {"syntax": "text", "codegen": "text", "ir text": "text", "elaborate: names": "statements",
         "elaborate: statements": "statements", "elaborate: expressions": "statements"}
EXAMPLES = "core/diagnostics/examples"


def files(root, patterns):
    for pattern in patterns:
        yield from sorted(root.glob(pattern))


def areas(root):
    """{name of a message: the file of its example}."""
    found = {}
    area = ""
    for line in (root / "core/diagnostics/diagnostics.def").read_text(encoding="utf-8").splitlines():
        if section := re.match(r"// --- ([^:-]+(?:: [a-z, ]+?)?)(?:: .*)? -+$", line):
            head = section.group(1).strip()
            area = AREAS.get(head, "operations" if head.startswith("elaborate") else AREAS.get(head.split(":")[0], "kernels"))
        if row := re.match(r"DIAGNOSTIC\((\w+)", line):
            found[row.group(1).replace("_", "-")] = area
    usage = (root / "core/diagnostics/usage.def").read_text(encoding="utf-8")
    return {**found, **{name.replace("_", "-"): "usage" for name in re.findall(r"^DIAGNOSTIC\((\w+)", usage, re.M)}}


def rows(root):
    return list(areas(root))


def helps(root, macro):
    """Names of the rows of helps.def that are HELP, or NO_HELP."""
    text = (root / "core/diagnostics/helps.def").read_text(encoding="utf-8")
    return {name.replace("_", "-") for name in re.findall(rf"^{macro}\(\w+::(\w+),", text, re.M)}


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


def findings(root):
    """{kind: the first finding of that kind}, without the levels that found it."""
    kinds = re.findall(r'^FINDING\(\w+, "([\w-]+)"', (root / "core/sim/machine/findings.def").read_text(encoding="utf-8"), re.M)
    found = dict.fromkeys(kinds, "")
    for file in files(root, FINDINGS):
        lines = unmarked(file.read_text(encoding="utf-8"))
        for at, line in enumerate(lines):
            kind = line.partition(": ")[0]
            end = next((i for i in range(at, len(lines)) if lines[i].startswith("help: ")), None)
            if end and found.get(kind) == "":
                found[kind] = "\n".join(lines[at:end + 1])
    return found


def example_files(root):
    """{name of a file: its text}."""
    found, where = examples(root), areas(root)
    made = {area: {name: found[name] for name in where if where[name] == area and name in found} for area in where.values()}
    made["findings"] = {kind: text for kind, text in findings(root).items() if text}
    return {area: EXAMPLES_HEAD + "".join(f'EXAMPLE("{name}", R"~({text})~")\n' for name, text in rows.items()) + "// clang-format on\n"
            for area, rows in made.items()}


def check_examples(root, problems):
    for area, text in example_files(root).items():
        file = root / EXAMPLES / f"{area}.def"
        if os.environ.get("TILELAB_BLESS"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            problems.append(f"{EXAMPLES}/{area}.def is not what the golden texts have: TILELAB_BLESS=1 python3 tests/messages.py .")
    problems += [f"no example of {name}" for name in rows(root) if name not in examples(root) and name not in WITHOUT_EXAMPLE]
    problems += [f"{name} is excused, but has an example" for name in WITHOUT_EXAMPLE if name in examples(root)]
    problems += [f"no example of the finding {kind}" for kind, text in findings(root).items() if not text]


def unmarked(text):
    return [line.removeprefix("#>").removeprefix(" ") if line.startswith("#>") else line for line in text.splitlines()]


def messages(text, kinds="error|warning"):
    """(name, whole message) of each message in a golden text."""
    lines = unmarked(text)
    starts = [i for i, line in enumerate(lines) if re.search(rf"^(?:\w+: )?(?:{kinds})\[", line)]
    for at in starts:
        end = next((i for i in range(at + 1, len(lines)) if not lines[i].strip() or i in starts), len(lines))
        body = "\n".join(lines[at:end])
        yield re.search(r"\[([a-z-]+)\]", body).group(1), body


def check_helps(root, problems):
    """How many messages there are. Each has a help, or the table says why not."""
    count, none = 0, helps(root, "NO_HELP")
    for file in files(root, GOLDEN):
        if file.suffix == ".cpp":
            continue
        for name, body in messages(file.read_text(encoding="utf-8"), "error|warning|note"):
            count += 1
            if name not in none and "\nhelp: " not in body:
                problems.append(f"{file.relative_to(root)}: no help\n{body}")
    known = set(rows(root))
    problems += [f"{name} of helps.def is no message" for name in (none | helps(root, "HELP")) - known]
    problems += [f"{name} has a help and an excuse" for name in none & helps(root, "HELP")]
    return count


def main(root):
    problems = []
    names, seen = rows(root), shown(root)
    problems += [f"no golden text shows {name}" for name in names if name not in seen | set(UNSHOWN)]
    problems += [f"{name} is excused, but shown" for name in UNSHOWN if name in seen]
    problems += [f"{name} is no row of the table" for name in seen - set(names)]
    count = check_helps(root, problems)
    check_examples(root, problems)
    print("\n".join(problems))
    print(f"{len(names)} rows, {count} messages, {len(problems)} problems")
    return 1 if problems or count < 350 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
