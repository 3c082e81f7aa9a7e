# SPDX-License-Identifier: Apache-2.0
"""Plain technical English: words of the former house dialect, and the term to write instead, in texts and in names.
hygiene.py applies the table to every text and source file."""
import functools
import json
import re

# Old names that stay readable, expected output of other programs, and pictures.
EXEMPT = ("core/diagnostics/renamed.def", "docs/screenshots/", "tests/vocabulary")
SOURCES = (".py", ".h", ".cpp", ".def")

DETERMINER = r"(?:an?|any|each|every|first|last|many|next|one|other|same|several|some|such|that|the|this|two|its|\d+) "
# (pattern, what to write instead); a blank matches any white space.
WORDS = [
    (rf"{DETERMINER}turns?|turns of|in turns", "iteration"),
    (r"meet|meets|met|meetings?|come together", "synchronize, barrier"),
    (r"in front of", "before"),
    (r"behind", "after"),
    (r"tell|tells|told|telling", "report, warn, state"),
    (r"stands?|stood|standing", "is, is located in, is stored in"),
    (r"lies?|lain|lying", "is, is stored in"),
    (r"roads?", "lowering strategy, code path, fallback"),
    (r"looks? at|looked at|looking at", "check, analyze, inspect"),
    (r"by hand", "explicit, manual"),
    (r"of (?:its|their|his|our|my|your|one's) own", "separate, own"),
    (r"of run time", "dynamic, at run time"),
    (r"anew", "again, reset, restart"),
    (r"nobody|whoever", "say which thread or user"),
    (r"is no(?! longer)|are no(?! longer)|was no(?! longer)", "is not a, unsupported"),
    (r"go on|goes on|went on|going on", "continue"),
    (r"what is left|what was left|what stays", "remainder, tail"),
    (r"shares? out|shared out|divides? up", "distribute over threads"),
    (r"goes outside|go outside", "out of bounds"),
    (r"chang(?:e|es|ed|ing) hands", "redistribute"),
    (r"runs? ahead|running ahead", "prefetch"),
    (r"who holds what", "which thread holds it"),
    (r"both ways", "in both directions, inverse"),
    (r"not to be had", "unsupported"),
    (r"lands|landed", "complete, arrive"),
    (r"abreast", "interleaved"),
]


def _word(pattern):
    return re.compile(rf"\b(?:{pattern})\b".replace(" ", r"\s+"), re.I)


# For texts in lower case: where case counts, `re` knows by the first letter which words cannot follow.
ANY_WORD = re.compile(_word("|".join(pattern for pattern, _ in WORDS)).pattern)
# Parts of names: `told_` and `BankCure` have one.
NAME_PARTS = {word: instead for words, instead in [
    ("turn turns", "iteration"), ("meet meets met meeting meetings", "barrier, synchronize"), ("behind", "after"),
    ("told tell tells", "report"), ("stands stood", "is"), ("lies lain", "is stored"), ("road roads", "fallback, strategy"),
    ("looks", "inspect"), ("anew", "again"), ("nobody whoever", "no_thread, unused"), ("abreast", "interleaved"),
    ("apart", "disjoint, separate"), ("ahead", "prefetched"), ("cure cures", "suggestion"), ("nudge nudges", "wakeup"),
    ("pended", "pending"), ("born birth births", "origin"), ("spot spots", "location"), ("toned tone tones", "style, role"),
    ("grown", "undo_log"), ("doubtful", "lint"), ("settle settled", "finalize, match"), ("staying", "non_pipelined, invariant"),
] for word in words.split()}
NAME = re.compile(r"[A-Za-z_]\w*")
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
STRING_OR_COMMENT = re.compile(r'''R"([^(\s]*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|//[^\n]*''')
PYTHONS_STRING_OR_COMMENT = re.compile(r'''"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\#[^\n]*''')
# Uses in the ordinary sense, which are taken out before the words are searched.
ALLOWED = re.compile(r"""\b(?:stands?\ for|stand-alone|stand-ins?|stands?\ in\ for|leaves?\ behind|in\ turn|turns?\ (?:on|off|into)|there\ (?:is|are|was)\ no
                         |behind\ (?:a|the|an)?\ ?(?:proxy|proxies|gateways?|firewall))\b""".replace(r"\ ", r"\s+"), re.I | re.X)
CODE = [re.compile(r"^```.*?^```", re.M | re.S), re.compile(r"`[^`\n]*(?:\n[^`\n]*)?`"), re.compile(r"^    .*$", re.M)]
OLD_WORDS = re.compile(r"^Old words:(?:.*\n)*?$", re.M)  # of the glossary


def _blanked(pattern, text):
    return pattern.sub(lambda match: re.sub(r"\S", " ", match.group()), text)


def prose(path, text):
    """The text that a person reads, line for line: no code in Markdown, the Markdown cells alone of a notebook."""
    if path.endswith(".ipynb"):
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    if path.endswith((".md", ".ipynb")):
        for pattern in [OLD_WORDS, *CODE]:
            text = _blanked(pattern, text)
    return text


def vocabulary(path, text):
    """(line, words found, what to write instead) of each word that has a plainer one."""
    text = prose(path, text)
    if not ANY_WORD.search(text.lower()):  # nearly every text
        return []
    text = _blanked(ALLOWED, text)
    found = [(text.count("\n", 0, match.start()) + 1, " ".join(match.group().split()), instead)
             for pattern, instead in WORDS for match in _word(pattern).finditer(text)]
    return sorted(found)


@functools.cache
def _plainer(name):
    """What to write instead of a name's first part that has a plainer word, or None."""
    return next((NAME_PARTS[part.lower()] for part in PART.findall(name) if part.lower() in NAME_PARTS), None)


def dialect_names(path, text):
    """(line, name, what to write instead) of each name with a part that has a plainer word."""
    if not path.endswith(SOURCES):
        return []
    code = _blanked(PYTHONS_STRING_OR_COMMENT if path.endswith(".py") else STRING_OR_COMMENT, text)
    return [(number, name, _plainer(name)) for number, line in enumerate(code.split("\n"), 1)
            for name in NAME.findall(line) if _plainer(name)]


def is_checked(path):
    return not path.startswith(EXEMPT) and path.endswith((*SOURCES, ".md", ".ipynb"))
