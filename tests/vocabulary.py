# SPDX-License-Identifier: Apache-2.0
"""Plain technical English: words of the former house dialect, and the term to write instead. hygiene.py applies the
table to the paths that PLAIN_ENGLISH lists; a folder joins the list when its texts are rewritten."""
import json
import re

PLAIN_ENGLISH = ("README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/", "tutorials/", "python/tilelab/puzzles/tasks/",
                 "core/elaborate/builtins/builtins.def", "core/elaborate/builtins/options.def", "core/passes/passes.def",
                 "core/ir/stages.def")
# Drawn by the programs, whose texts are not rewritten yet.
NOT_YET = ("docs/screenshots/",)

DETERMINER = r"(?:an?|any|each|every|first|last|many|next|one|other|same|several|some|such|that|the|this|two|its|\d+) "
# (pattern, what to write instead); a blank matches any white space.
WORDS = [(re.compile(rf"\b(?:{pattern})\b".replace(" ", r"\s+"), re.I), instead) for pattern, instead in [
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
]]
# Uses in the ordinary sense, which are taken out before the words are searched.
ALLOWED = re.compile(r"""\b(?:stands?\ for|stand-alone|stand-ins?|in\ turn|turns?\ (?:on|off|into)|there\ (?:is|are|was)\ no
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
    text = _blanked(ALLOWED, prose(path, text))
    found = [(text.count("\n", 0, match.start()) + 1, " ".join(match.group().split()), instead)
             for pattern, instead in WORDS for match in pattern.finditer(text)]
    return sorted(found)


def is_plain_english(path):
    return path.startswith(PLAIN_ENGLISH) and not path.startswith(NOT_YET) and path.endswith((".md", ".ipynb", ".py", ".h", ".cpp", ".def"))
