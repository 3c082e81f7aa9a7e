# SPDX-License-Identifier: Apache-2.0
"""messages.py SOURCE_ROOT: every row of the tables of messages is shown by some golden text, every message says what to
do (or helps.def says why not), every message and every kind of finding has an example for %explain, and the reference
of messages has them all."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "core/diagnostics"))
import examples as made  # noqa: E402

# Rows that no golden text shows, with the reason.
UNSHOWN = {"output-not-finite": "the line of a run, no text of a kernel: tests/python/test_not_finite.py"}
# Rows without an example, with the reason.
WITHOUT_EXAMPLE = {**UNSHOWN, "pass-level": "passes that are run one by one, by a test"}
# Golden texts that are part of a C++ test: they show messages, but are not examples.
IN_CODE = ["tests/codegen/walk_test.cpp", "tests/unit/syntax/parser_test.cpp"]


def helps(root, macro):
    """Names of the rows of helps.def that are HELP, or NO_HELP."""
    text = (root / "core/diagnostics/helps.def").read_text(encoding="utf-8")
    return {name.replace("_", "-") for name in re.findall(rf"^{macro}\(\w+::(\w+),", text, re.M)}


def shown(root):
    """Names in messages: `error[name]`, and `line:column name:` of the parser's short form."""
    found = set()
    for file in made.files(root, made.GOLDEN + IN_CODE):
        text = file.read_text(encoding="utf-8")
        found.update(re.findall(r"(?:error|warning|note)\[([a-z-]+)\]", text))
        found.update(re.findall(r'"\d+:\d+ ([a-z-]+):', text))
    return found


def check_examples(root, names, problems):
    texts, findings = made.examples(root), made.findings(root)
    problems += [f"no example of {name}" for name in names if name not in texts and name not in WITHOUT_EXAMPLE]
    problems += [f"{name} is excused, but has an example" for name in WITHOUT_EXAMPLE if name in texts]
    problems += [f"no example of the finding {kind}" for kind, text in findings.items() if not text]
    page = made.page(root, texts)
    problems += [f"the reference lacks {name}" for name in names if f"\n## {name}\n" not in page]


def check_helps(root, names, problems):
    """The number of messages. Each has a help, or the table says why not."""
    count, none = 0, helps(root, "NO_HELP")
    for file in made.files(root, made.GOLDEN):
        for name, body in made.messages(file.read_text(encoding="utf-8")):
            count += 1
            if name not in none and "\nhelp: " not in body:
                problems.append(f"{file.relative_to(root)}: no help\n{body}")
    problems += [f"{name} of helps.def is not a message" for name in (none | helps(root, "HELP")) - set(names)]
    problems += [f"{name} has a help and an excuse" for name in none & helps(root, "HELP")]
    return count


def main(root):
    problems = []
    names, seen = [name for name, *_ in made.rows(root)], shown(root)
    declared = sum(len(re.findall(r"^DIAGNOSTIC\(", (root / table).read_text(encoding="utf-8"), re.M)) for table in made.TABLES)
    problems += [f"{declared} rows, of which {len(names)} can be read"] if declared != len(names) else []
    problems += [f"no golden text shows {name}" for name in names if name not in seen | set(UNSHOWN)]
    problems += [f"{name} is excused, but shown" for name in UNSHOWN if name in seen]
    problems += [f"{name} is not a row of the table" for name in seen - set(names)]
    count = check_helps(root, names, problems)
    check_examples(root, names, problems)
    print("\n".join(problems))
    print(f"{len(names)} rows, {count} messages, {len(problems)} problems")
    return 1 if problems or count < 350 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
