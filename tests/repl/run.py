# SPDX-License-Identifier: Apache-2.0
"""run.py PROGRAM [FILTER]: every function test_* of the test files, each with its own directories."""

import importlib
import os
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = ["test_prompt", "test_pipe", "test_program", "test_kernel_interrupt", "test_commands",
           "test_completions", "test_dbg", "test_editing", "test_paste", "test_children", "test_files", "test_vi", "test_habits", "test_robust", "test_hostile_cells", "test_progress", "test_puzzles",
           "test_typos", "test_pictures"]


def main():
    program = os.path.abspath(sys.argv[1])
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    took = []
    sys.path.insert(0, HERE)
    import terminal

    passed, failed = 0, []
    for name in MODULES:
        module = importlib.import_module(name)
        for test, function in sorted(vars(module).items()):
            if not test.startswith("test_") or wanted not in test:
                continue
            with tempfile.TemporaryDirectory() as directory:
                os.environ["XDG_STATE_HOME"] = directory + "/state"
                os.environ["XDG_CONFIG_HOME"] = directory + "/config"
                os.chdir(directory)
                begun = time.monotonic()
                try:
                    function(program)
                    passed += 1
                except Exception:
                    failed.append(test)
                    print(f"FAILED {test}\n{traceback.format_exc()}", flush=True)
                terminal.end_all()
                took.append((time.monotonic() - begun, test))
                os.chdir("/")
    for seconds, test in sorted(took)[-5:]:
        print(f"{seconds:6.1f} s  {test}")
    print(f"{passed} passed, {len(failed)} failed {' '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
