# SPDX-License-Identifier: Apache-2.0
"""Programs that do something when no cell runs: each trigger with each action. A front end must survive all of them."""

import itertools
import os
import random
import re

SEED = int(os.environ.get("TILELAB_SEED", "0") or 0) or random.SystemRandom().randrange(1 << 30)
LONG = bool(os.environ.get("TILELAB_LONG"))

# What threads, timers, finalizers, hooks and methods may do at any time.
ACTIONS = [
    "print('late')", "import sys; print('late', file=sys.stderr)", "display(3)", "display(3, display_id='a')",
    "get_ipython().set_next_input('x')", "get_ipython().run_cell('1+1')", "get_ipython().run_cell('1/0')",
    "get_ipython().run_cell('late = 3', silent=True)", "get_ipython().run_line_magic('pinfo', 'len')",
    "get_ipython().run_line_magic('whos', '')", "get_ipython().run_line_magic('history', '')",
    "get_ipython().run_line_magic('clear', '')", "get_ipython().run_line_magic('target', '')",
    "get_ipython().run_cell_magic('capture', 'c', 'print(1)')", "get_ipython().showtraceback()",
    "from IPython.display import clear_output; clear_output()", "input('question ')", "import getpass; getpass.getpass()",
    "import sys; sys.stdin.readline()", "breakpoint()", "import pdb; pdb.set_trace()", "exit()", "import sys; sys.exit(3)", "1/0",
    "raise KeyboardInterrupt", "get_ipython().system('true')", "get_ipython().getoutput('echo a')", "import os; os.write(1, b'late')",
    "import tilelang; tilelang.__version__", "get_ipython().events.register('pre_run_cell', print)", "late.append(1)",
]

# The text that makes `act` happen; a front end adds what only it can trigger.
TRIGGERS = {
    "timer": "threading.Timer(.02, act).start()",
    "thread": "threading.Thread(target=lambda: (time.sleep(.02), act()), daemon=True).start()",
    "three threads": "for _ in range(3): threading.Timer(.02, act).start()",
    "pool": "concurrent.futures.ThreadPoolExecutor(1).submit(lambda: (time.sleep(.02), act()))",
    "finalizer": "class Q:\n  def __del__(self): act()\n"
                 "threading.Thread(target=lambda q: time.sleep(.02), args=(Q(),)).start()\ndel Q",
    "weak reference": "class Q: pass\nq = Q(); weakref.finalize(q, act)\n"
                      "threading.Timer(.02, lambda: globals().pop('q', 0)).start()",
    "hook of threads": "threading.excepthook = lambda _: act()\n"
                       "threading.Timer(.02, lambda: undefined_name).start()",
    "repr": "class Q:\n  def __repr__(self): act(); return 'q'\nq = Q()",
    "dir": "class Q:\n  def __dir__(self): act(); return ['abc']\nq = Q()",
    "attribute": "class Q:\n  def __getattr__(self, name): act(); raise AttributeError(name)\nq = Q()",
    "documentation": "class Q:\n  @property\n  def __doc__(self): act(); return 'q'\nq = Q()",
}
AT_EXIT = {"exit handler": "atexit.register(act)", "finalizer at exit": "class Q:\n  def __del__(self): act()\nq = Q()",
           "thread at exit": "atexit.register(lambda: threading.Thread(target=act).start())"}


IMPORTS = "import atexit, concurrent.futures, threading, time, weakref\n"
GROUP = 8  # programs of a cell that mixes them
PER_SESSION = 30  # cells: hooks and events that they register add up
DELAYS = ("0", ".004", ".02")  # seconds: while the cell runs, at its end, after it


def cell(programs, number=0):
    """(the text of a cell that starts programs, (trigger, action) each; the name of the last one's object). Another `number`, other names."""
    parts = []
    for n, (trigger, action) in enumerate(programs, GROUP * number):
        delay = DELAYS[n % 3] if len(programs) > 1 else ".02"
        started = re.sub(r"\b(act|q|Q)\b", rf"\g<1>{n}", {**TRIGGERS, **AT_EXIT}[trigger]).replace(".02", delay)
        parts.append(f"def act{n}():\n  global late\n  {action}\n\n{started}\n")
    return IMPORTS + "\n".join(parts), f"q{n}"


def programs(triggers, count, mixed):
    """Groups of (trigger, action), which run beside each other: `count` of one program and as many of several; with TILELAB_LONG each
    program alone, and `mixed` in groups."""
    every, rng = list(itertools.product(triggers, ACTIONS)), random.Random(SEED)
    alone = every if LONG else rng.sample(every, min(count, len(every)))
    # %whos calls each __repr__: where two of them show all names again, that has no end.
    beside = [(trigger, action) for trigger, action in every if trigger != "repr" or "whos" not in action]
    groups = [rng.choices(beside, k=GROUP) for _ in range(mixed // GROUP if LONG else count // GROUP)]
    return [[program] for program in alone] + groups
