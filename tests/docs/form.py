# SPDX-License-Identifier: Apache-2.0
"""The form of docs/language and docs/commands: every name and every command has a section with all parts
(docs/language/README.md)."""

import json
import re
import subprocess

import support
from tilelab import _core
from tilelab._compiler import dtypes, language_pages

WORKS = ["Parameters", "Semantics", "Rules", "Targets", "Example", "See also"]
PARTS = {"works": WORKS, "accepted": ["Why", "Example", "See also"],
         "planned": ["Why", "Instead", "Example", "See also"], "refused": ["Why", "Instead", "Example", "See also"]}
ALL_TARGETS = ["simulator", "sm_80", "sm_90a", "mp_22", "mp_31"]
NAME = re.compile(r"\bT\.(\w+)(?!\w*\*)")
MESSAGE = re.compile(r"`([a-z]+(?:-[a-z]+)+)`")


def rows():
    """{"T.copy": (signature, status, chapter)}; functions of Python without "T."."""
    titles = list(dict.fromkeys(row.chapter for row in language_pages.rows().values()))
    return {name: (row.signature or "", row.status, titles.index(row.chapter) + 1) for name, row in language_pages.rows().items()}


def parameters(name, signature):
    """The parameters that need a description."""
    named = [re.split("[=:]", word)[0].strip("* ") for word in re.sub(r'"[^"]*"', "", signature).split(",")]
    without_effect = {option for builtin, option, *_ in _core.options() if "T." + builtin == name}
    return [word for word in named if word and word not in without_effect]


def known_names():
    return {name.removeprefix("T.") for name in rows()} | set(dtypes.names())


def known_messages():
    return set(_core.views.explained_words())


def problems_of_section(section, table, messages, names):
    statuses = {table[name][1] for name in section.names if name in table}
    if unknown := [name for name in section.names if name not in table]:
        yield f"not a name of the language: {', '.join(unknown)}"
        return
    if len(statuses) > 1:
        yield f"names of different status in one section: {', '.join(sorted(statuses))}"
        return
    needed = {word: name for name in section.names for word in parameters(name, table[name][0])}
    status = statuses.pop()
    parts = [part for part in PARTS[status] if part != "Parameters" or needed]
    if list(section.parts) != parts:
        yield f"has the parts {', '.join(section.parts)}; a name that is '{status}' has {', '.join(parts)}"
    yield from (f"the part {part} is empty" for part, text in section.parts.items() if not text)
    if status == "works":
        described = section.parts.get("Parameters", "")
        yield from (f"parameter {word} of {name} has no item `{word}`" for word, name in needed.items()
                    if f"`{word}`" not in described and f"`*{word}`" not in described)
        targets = section.parts.get("Targets", "")
        absent = [target for target in ALL_TARGETS if target not in targets]
        if absent and "every target" not in targets.lower():
            yield f"Targets does not mention {', '.join(absent)}, nor \"Every target\""
    yield from problems_of_example(section)
    prose = re.sub(r"^```.*?^```", "", section.text, flags=re.M | re.S)
    yield from (f"T.{name} does not exist" for name in NAME.findall(prose) if name not in names)
    yield from (f"no message is named {name}" for name in MESSAGE.findall(section.parts.get("Rules", "")) if name not in messages)


def problems_of_example(section):
    if not re.search(r"^```python.*?^```\n\n?```text\n", section.parts.get("Example", ""), re.M | re.S):
        yield "no example with output: ```python, then ```text"


def commands(program):
    """{"layout": its options}"""
    done = subprocess.run([program, "-q", "-n", "-c", "import json, _tilelab_host as h; print(json.dumps(h.commands()))"],
                          capture_output=True, text=True, check=True)
    return {row["name"]: set(re.findall(r"^  (-[\w-]+)", row["help"], re.M)) - {"--help", "--json"} for row in json.loads(done.stdout)}


def problems_of_commands(chapters, table):
    described = []
    for chapter in chapters:
        for section in chapter.sections:
            names = sorted({name.strip("%") for name in section.names})
            described += names
            where = f"{chapter.path.name}, {', '.join(section.names)}"
            if unknown := [name for name in names if name not in table]:
                yield f"{where}: no command is named {', '.join(unknown)}"
                continue
            options = sorted(set().union(*(table[name] for name in names)))
            parts = ["Use", *(["Options"] if options else []), "Example", "See also"]
            if list(section.parts) != parts:
                yield f"{where}: has the parts {', '.join(section.parts)}; this command has {', '.join(parts)}"
            yield from (f"{where}: option {option} has no item" for option in options
                        if f"`{option}" not in section.parts.get("Options", ""))
            yield from (f"{where}: {problem}" for problem in problems_of_example(section))
    yield from (f"%{name} has two sections" for name in sorted({name for name in described if described.count(name) > 1}))
    yield from (f"%{name} has no section in docs/commands" for name in sorted(set(table) - set(described)))


def problems_of_chapter(chapter):
    table, messages, names = rows(), known_messages(), known_names()
    if not chapter.title:
        yield f"{chapter.path.name}: the first line is not a title, `# ...`"
    for section in chapter.sections:
        for problem in problems_of_section(section, table, messages, names):
            yield f"{chapter.path.name}, {', '.join(section.names)}: {problem}"
        yield from (f"{chapter.path.name}: {name} belongs in chapter {table[name][2]}"
                    for name in section.names if name in table and table[name][2] != chapter.number)


def problems_of_coverage(chapters):
    from tilelab import language

    yield from (f"T.{name} has no row in language_pages" for name in language.__all__
                if f"T.{name}" not in rows() and name not in dtypes.names())
    described = [name for chapter in chapters for section in chapter.sections for name in section.names]
    yield from (f"{name} has two sections" for name in sorted({name for name in described if described.count(name) > 1}))
    yield from (f"{name} of chapter {chapter} has no section" for name, (*_, chapter) in rows().items() if name not in described)
    index = (support.ROOT / "docs/language/index.md").read_text(encoding="utf-8")
    yield from (f"index.md does not link {chapter.path.name}" for chapter in chapters if f"({chapter.path.name})" not in index)


def problems_of_dtypes():
    page = (support.ROOT / "docs/language/dtypes.md").read_text(encoding="utf-8")
    yield from (f"dtypes.md: `{name}` is missing" for name in dtypes.names()
                if not re.search(r"x\d+$", name) and f"`{name}`" not in page)


def problems_of_guide(path):
    """The tables of messages name messages."""
    known = known_messages()
    for heading, text in language_pages.split(path.read_text(encoding="utf-8"), "##"):
        if heading == "Which message means what?":
            names = [name for row in re.findall(r"^\| (`.*?) \|", text, re.M) for name in re.findall(r"`([^`]+)`", row)]
            yield from (f"{path.name}: no message is named {name}" for name in names if name not in known)


def problems(paths):
    for path in paths:
        if path.parent.name == "guide":
            yield from problems_of_guide(path)
        if path.parent.name == "language" and path.name[:2].isdigit():
            yield from problems_of_chapter(language_pages.read_chapter(path))


def problems_of_options(program):
    """docs/options.md and docs/command-line.md describe each option."""
    text = (support.ROOT / "docs/options.md").read_text(encoding="utf-8")
    headings = " ".join(heading for heading, _ in language_pages.split(text, "##"))
    yield from (f"options.md has no section about {name}" for name, _ in _core.configs() if name not in headings)
    text = (support.ROOT / "docs/command-line.md").read_text(encoding="utf-8")
    parts = dict(language_pages.split(text, "##"))
    listed = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout.partition("\ncommands\n")[2].partition("\n\n")[0]
    for command in re.findall(r"^  ([\w-]+)  ", listed, re.M):
        usage = subprocess.run([program, command, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
        options = re.findall(r"--[\w-]+", usage.partition("\n  ")[0])
        yield from (f"command-line.md, tilelab {command}: {option} is missing" for option in options
                    if option not in parts.get(f"tilelab {command}", ""))
        if f"tilelab {command}" not in parts:
            yield f"command-line.md has no section about tilelab {command}"


def counts():
    """What the reference of the language has."""
    sections = [section for chapter in language_pages.chapters() for section in chapter.sections]
    rules = sum(len(re.findall(r"^- ", section.parts.get("Rules", ""), re.M)) for section in sections)
    return f"{sum(len(section.names) for section in sections)} names in {len(sections)} sections, {rules} rules"


def problems_of_all(program):
    yield from problems_of_options(program)
    yield from problems_of_coverage(language_pages.chapters())
    yield from problems_of_commands(language_pages.chapters("commands"), commands(program))
    yield from problems_of_dtypes()
