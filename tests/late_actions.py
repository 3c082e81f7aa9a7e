# SPDX-License-Identifier: Apache-2.0
"""Programs that do something when no cell runs: each trigger with each action. A front end must survive all of them."""

import itertools
import os
import random

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


def cell(trigger, action):
    """The text of a cell."""
    return ("import atexit, concurrent.futures, threading, time, weakref\n"
            f"def act():\n  global late\n  {action}\n\n" + {**TRIGGERS, **AT_EXIT}[trigger])


def programs(triggers, count):
    """(trigger, action) of `count` programs, or of all with TILELAB_LONG."""
    every = list(itertools.product(triggers, ACTIONS))
    return every if LONG else random.Random(SEED).sample(every, min(count, len(every)))
