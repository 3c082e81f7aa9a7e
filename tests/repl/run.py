# SPDX-License-Identifier: Apache-2.0
"""run.py PROGRAM [FILTER]: every function test_* of the test files, each with its own directories, three at a time."""

import importlib
import os
import sys
import tempfile
import time
import traceback
from concurrent.futures import ProcessPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = ["test_prompt", "test_pipe", "test_program", "test_kernel_interrupt", "test_commands", "test_completions", "test_dbg",
           "test_editing", "test_paste", "test_children", "test_files", "test_vi", "test_habits", "test_robust",
           "test_hostile_cells", "test_hostile_names", "test_threads", "test_progress", "test_puzzles", "test_typos", "test_pictures", "test_planted",
           "test_torch", "test_tutorial"]
AT_ONCE = min(2, os.cpu_count() or 1) + 1  # they mostly wait, but some of them for answers in time


def run(program, module, test):
    """(seconds, what failed)"""
    import terminal

    function, problem = getattr(importlib.import_module(module), test), ""
    with tempfile.TemporaryDirectory() as directory:
        os.environ["XDG_STATE_HOME"] = directory + "/state"
        os.environ["XDG_CONFIG_HOME"] = directory + "/config"
        os.chdir(directory)
        begun = time.monotonic()
        try:
            function(program)
        except Exception:
            problem = traceback.format_exc()
        terminal.end_all()
        took = time.monotonic() - begun
        os.chdir("/")
    return took, problem


def _why_skipped(program, module, test):
    import terminal

    function = getattr(sys.modules[module], test)
    if terminal.SANITIZED and hasattr(function, "limits_memory"):
        return "limits the address space, which a sanitizer needs"
    if terminal.is_script(program) and hasattr(function, "embeds_python"):
        return "is about a program that embeds Python"
    return ""


def main():
    program = os.path.abspath(sys.argv[1])
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    sys.path.insert(0, HERE)
    if os.environ.get("TILELAB_SANITIZED") == "thread":
        os.environ["PYTHONPATH"] = os.path.join(HERE, "under_tsan")
    tests = [(module, test) for module in MODULES for test in sorted(vars(importlib.import_module(module)))
             if test.startswith("test_") and wanted in test]
    took, failed, skipped = [], [], [row for row in tests if _why_skipped(program, *row)]
    tests = [row for row in tests if row not in skipped]
    with ProcessPoolExecutor(AT_ONCE) as workers:
        results = [(test, workers.submit(run, program, module, test)) for module, test in tests]
        for test, result in results:
            seconds, problem = result.result()
            took.append((seconds, test))
            if problem:
                failed.append(test)
                print(f"FAILED {test}\n{problem}", flush=True)
    for module, test in skipped:
        print(f"skipped: {test} {_why_skipped(program, module, test)}")
    for seconds, test in sorted(took)[-5:]:
        print(f"{seconds:6.1f} s  {test}")
    print(f"{len(tests) - len(failed)} passed, {len(failed)} failed {' '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
