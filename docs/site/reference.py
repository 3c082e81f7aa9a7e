# SPDX-License-Identifier: Apache-2.0
"""Pages and parts of pages that the tables of tilelab make: names, commands, options, messages, findings."""

import re
import subprocess
import sys

import _tilelab_host as host
from tilelab import _core
from tilelab._compiler import ignored_options, language_pages

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
    names = {name: label_of((language_pages.section(name) or _Alone(name)).names[0])
             for name in language_pages.rows() if name.startswith("T.")}
    for name, row in COMMANDS.items():
        found = language_pages.section_of_command(name)
        label = "command-" + (found.names[0].strip("%") if found else name)
        names |= {command_name(name): label, **({"%%" + name: label} if row["cell"] else {})}
    names |= {name: "message-" + name for name in findings()}
    names |= {name: "message-" + name for name, *_ in message_rows()}
    return names


class _Alone:
    def __init__(self, name):
        self.names = (name,)


def message_rows():
    sys.path.insert(0, str(language_pages.docs_folder().parent / "core/diagnostics"))
    import examples

    return examples.rows(language_pages.docs_folder().parent)


def head(name):
    """Signature and summary of a name."""
    row = language_pages.rows()[name]
    return "\n\n".join([f"```python\n{row.call(name)}\n```", row.described(), *language_pages.options_without_effect(name)])


def command_head(name):
    """Usage, summary and options of a command."""
    lines = COMMANDS[name]["help"].rstrip("\n")
    return f"```text\n{lines}\n```"


def _with_heads(text, head_of, label):
    """The text with what the tables say below each heading of a name."""
    parts = language_pages.split(text, "##")
    out = "---\ntocdepth: 2\n---\n\n" + parts[0][1]
    for heading, body in parts[1:]:
        names = [name.strip() for name in heading.split(",")]
        heads = "\n\n".join(dict.fromkeys(head_of(name) for name in names))
        out += f"\n\n({label(names[0])})=\n## {heading}\n\n{heads}\n\n{body}"
    return out


def completed(path, text):
    folder = path.parent.name
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


def _command_line(program):
    out = "# The command line\n\nThe program `tilelab` starts the shell, runs a program, or runs one of its commands.\n"
    for command in ("", *re.findall(r"^  (\w[\w-]*)  +", _part(_help(program), "commands"), re.M)):
        text = _help(program, command)
        if text:
            out += f"\n## tilelab {command}".rstrip() + f"\n\n```text\n{text.rstrip()}\n```\n"
    return out


def _part(text, title):
    return text.partition(f"\n{title}\n")[2].partition("\n\n")[0]


def _help(program, *words):
    done = subprocess.run([program, *filter(None, words), "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stdout if done.returncode == 0 else ""


def _options():
    out = "# Options\n\nOptions of kernels, and keywords that are accepted without effect.\n\n## Pass configurations\n\n" \
          "`T.annotate_pass_configs` in a kernel and `pass_configs=` of tilelang.jit and tilelang.compile set them.\n\n"
    out += language_pages.rows()["T.annotate_pass_configs"].summary + "\n\n| configuration | |\n|---|---|\n"
    out += "".join(f"| `{name}` | {'accepted without effect' if ignored else 'works'} |\n" for name, ignored in _core.configs())
    out += "\n## Keywords without effect\n\nThey are accepted so that TileLang's scripts run unchanged, and reported once as a note.\n\n" \
           "| function | keyword | reason |\n|---|---|---|\n"
    for function, keywords in ignored_options.TABLE.items():
        out += "".join(f"| `{function}` | `{keyword}` | {why} |\n" for keyword, why in keywords.items())
    out += "\n## Options of names without effect\n\n| name | options |\n|---|---|\n"
    for name in language_pages.rows():
        for sentence in language_pages.options_without_effect(name):
            out += f"| `{name}` | {sentence} |\n"
    return out


def _undescribed():
    """Names whose sections are still to be written."""
    out = "---\ntocdepth: 2\n---\n\n# Names without a section\n\nSignature and summary of the names that have no section yet.\n"
    rest = [name for name in language_pages.rows() if not language_pages.section(name)]
    for name in rest:
        out += f"\n({label_of(name)})=\n## {name}\n\n{head(name)}\n"
    return out if rest else ""


def _undescribed_commands(described):
    out = "---\ntocdepth: 2\n---\n\n# Other commands\n\nUsage and options.\n"
    rest = [name for name in COMMANDS if name not in described]
    for name in rest:
        out += f"\n(command-{name})=\n## {command_name(name)}\n\n{command_head(name)}\n"
    return out if rest else ""


def described_commands():
    found = set()
    for path in sorted((language_pages.docs_folder() / "commands").glob("[0-9]*.md")):
        for heading, _ in language_pages.split(path.read_text(encoding="utf-8"), "##")[1:]:
            found |= {name.strip(" %") for name in heading.split(",")}
    return found


def generated(build):
    """{page of the site: text}."""
    pages = {"reference/language/others.md": _undescribed(), "reference/commands/others.md": _undescribed_commands(described_commands()),
             "reference/command-line.md": _command_line(str(build / "bin/tilelab")), "reference/options.md": _options(),
             "reference/messages.md": _messages(build), "reference/findings.md": _findings()}
    return {page: text for page, text in pages.items() if text}
