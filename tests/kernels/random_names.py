# SPDX-License-Identifier: Apache-2.0
"""Names of random kernels, each of which is bound once, given to several bindings.

Where the scopes of two names are disjoint, as those of a branch and of a later loop, both may have
one: a value of the block and one of single threads, a variable and a buffer, in one kernel or in two.
"""
import collections
import re

NUMBERED = re.compile(r"\b[a-z]+\d+\b")
BINDS = re.compile(r" *(?:(for|def) (?:\w+\()?)?([\w, ]+)(?: = | in |\):)")


def scopes_of(lines):
    """Name -> where it is bound, each (first line, line after the last): to the end of the block."""
    scopes = collections.defaultdict(list)
    for at, line in enumerate(lines):
        found = BINDS.match(line)
        if not found:
            continue
        inside = len(line) - len(line.lstrip()) + bool(found[1])
        if "T.alloc_var(" in line:  # a branch that is always taken leaves it to what follows
            inside = 1
        end = next((i for i in range(at + 1, len(lines))
                    if lines[i].strip() and len(lines[i]) - len(lines[i].lstrip()) < inside), len(lines))
        for name in NUMBERED.findall(found[2]):
            if not any(first <= at < last for first, last in scopes[name]):
                scopes[name].append((at, end))
    return scopes


def with_shared_names(source, rng):
    """The source of a kernel that computes the same under fewer names."""
    taken, names = {}, {}  # a name -> the scopes that it has; a name -> the one it gets
    for name, scopes in scopes_of(source.splitlines()).items():
        free = [other for other, others in taken.items()
                if all(end <= a or b <= at for a, b in others for at, end in scopes)]
        names[name] = rng.choice(free) if free and rng.random() < 0.7 else name
        taken.setdefault(names[name], []).extend(scopes)
    return NUMBERED.sub(lambda found: names.get(found[0], found[0]), source)
