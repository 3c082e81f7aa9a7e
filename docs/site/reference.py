# SPDX-License-Identifier: Apache-2.0
"""Pages and parts of pages that the tables of tilelab make: names, commands, options, messages, findings."""

import re
import subprocess
import sys

import _tilelab_host as host
from tilelab import _core
from tilelab._compiler import ignored_options, language_pages
from tilelab.names import language as absent

COMMANDS = {command["name"]: command for command in host.commands()}
PREFIX = {False: "%%", True: "%"}


def command_name(name):
    return PREFIX[COMMANDS[name]["line"]] + name


def label_of(name):
    """The label of a section; labels know no capitals."""
    kind, name = ("name-", name[2:]) if name.startswith("T.") else ("python-", name)
    return kind + re.sub(r"[A-Z]", lambda letter: "cap-" + letter[0].lower(), name).strip("_") + "-" * name.count("__")


def messages_of(page):
    return re.findall(r"^## ([a-z-]+)$", page, re.M)


def findings():
    """{name: explanation} of the kinds of findings that are not messages as well."""
    words = {}
    for word in _core.views.explained_words():
        explained = _core.views.explain_word(word)
        if explained and "found by the simulator" in explained["text"].split("\n")[0]:
            words[word] = explained["text"]
    return words


def names_with_labels(pages):
    names = {name: label_of(language_pages.section(name).names[0]) for name in language_pages.rows() if name.startswith("T.")}
    for name, row in COMMANDS.items():
        label = "command-" + language_pages.section_of_command(name).names[0].strip("%")
        names |= {command_name(name): label, **({"%%" + name: label} if row["cell"] else {})}
    names |= {name: "message-" + name for name in findings()}
    names |= {name: "message-" + name for name, *_ in message_rows()}
    return names


def message_rows():
    sys.path.insert(0, str(language_pages.docs_folder().parent / "core/diagnostics"))
    import examples

    return examples.rows(language_pages.docs_folder().parent)


def head(name):
    """Signature and summary of a name."""
    row = language_pages.rows()[name]
    return "\n\n".join([f"```python\n{row.call(name)}\n```", row.described(), *language_pages.options_without_effect(name)])


def command_head(name):
    """Usage and summary of a command; its section has the options."""
    usage, *summary = COMMANDS[name]["help"].partition("\n\n")[0].split("\n")
    uses = [usage, *(line for line in summary if line.startswith("%"))]
    text = " ".join(line.strip() for line in summary if not line.startswith("%"))
    return "```text\n" + "\n".join(uses) + f"\n```\n\n{text[:1].upper()}{text[1:]}."


def _with_heads(text, head_of, label):
    """The text with what the tables say below each heading of a name."""
    parts = language_pages.split(text, "##")
    out = "---\ntocdepth: 2\n---\n\n" + parts[0][1]
    for heading, body in parts[1:]:
        names = [name.strip() for name in heading.split(",")]
        heads = "\n\n".join(dict.fromkeys(head_of(name) for name in names))
        out += f"\n\n({label(names[0])})=\n## {heading}\n\n{heads}\n\n{body}"
    return out


def completed(path, text, program):
    folder = path.parent.name
    if path.name == "command-line.md":
        return _command_line(text, program)
    if path.name == "options.md":
        return _options(text)
    if folder == "language" and path.name[:2].isdigit():
        return _with_heads(text, head, label_of)
    if folder == "commands" and path.name[:2].isdigit():
        return _with_heads(text, lambda name: command_head(name.strip("%")), lambda name: "command-" + name.strip("%"))
    return text


def _messages(build):
    page = (build / "docs/diagnostics.md").read_text(encoding="utf-8")
    page = re.sub(r"^## ([a-z-]+)$", r"(message-\1)=\n## \1", page, flags=re.M)
    return page.replace("# Messages\n", "# All messages\n", 1)


def _findings():
    out = "# All findings\n\nWhat the simulator finds while a kernel runs, by name. `%check` runs all detectors.\n"
    known = {name for name, *_ in message_rows()}
    for name, text in findings().items():
        label = f"(message-{name})=\n" if name not in known else ""
        out += f"\n{label}## {name}\n\n```text\n{text.rstrip()}\n```\n"
    return out


def _command_line(text, program):
    """The page with the help of each command below its heading."""
    parts = language_pages.split(text, "##")
    out = parts[0][1]
    for heading, body in parts[1:]:
        done = subprocess.run([program, *heading.split()[1:], "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        out += f"\n\n## {heading}\n\n```text\n{done.stdout.rstrip()}\n```\n\n{body}"
    return out


def _options(text):
    """The page with the tables of what has no effect."""
    out = text + "\n## Which keywords have no effect?\n\nThey are accepted so that TileLang's scripts run unchanged, and reported once as a note.\n\n" \
          "| function | keyword | reason |\n|---|---|---|\n"
    for function, keywords in ignored_options.TABLE.items():
        out += "".join(f"| `{function}` | `{keyword}` | {why} |\n" for keyword, why in keywords.items())
    out += "\n## Which options of names have no effect?\n\n| name | options |\n|---|---|\n"
    for name in language_pages.rows():
        for sentence in language_pages.options_without_effect(name):
            out += f"| `{name}` | {sentence} |\n"
    return out


def _absent():
    """The names of TileLang and TVM that tilelab lacks, by reason."""
    by_reason = {}
    for name, (status, why) in absent.ROWS.items():
        by_reason.setdefault(("Planned" if status == "planned" else "Unsupported", why), []).append(f"`T.{name}`")
    return "# Names that tilelab lacks\n\nThey can be imported; a call raises an error with the same reason.\n" + "".join(
        f"\n## {status}: {why}\n\n{', '.join(names)}\n" for (status, why), names in by_reason.items())


def generated(build):
    """{page of the site: text}."""
    return {"reference/language/absent.md": _absent(), "reference/messages.md": _messages(build), "reference/findings.md": _findings()}
