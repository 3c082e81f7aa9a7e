# SPDX-License-Identifier: Apache-2.0
"""The tutorial typed into the shell under a pseudo-terminal: test_shell.py TILELAB."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "repl"))

import terminal  # noqa: E402
import tutorial  # noqa: E402


def main():
    program = os.path.abspath(sys.argv[1])
    failures = []
    with tempfile.TemporaryDirectory() as home:
        shell = terminal.Terminal(program, "-q", "--no-pager",
                                  environment={"XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home})
        shell.prompt()
        for number, cell in enumerate(tutorial.code_cells()):
            shell.paste(cell)
            shell.type("\r")
            shown = shell.prompt()
            for text in tutorial.missing(number, shown):
                failures.append(f"cell {number + 1}: no {text!r} in\n{shown}")
            if "Traceback" in shown or "Error" in shown:
                failures.append(f"cell {number + 1} failed:\n{shown}")
            wide = [line for line in shown.split("\n")[cell.count("\n") + 1:]
                    if len(line) > 100 and cell not in line]
            if wide:
                failures.append(f"cell {number + 1}: wider than 100 columns: {wide[0]}")
        # Arguments complete.
        for typed, completed in (("%layout k.B_lo", "%layout k.B_local"),
                                 ("%ir k --after infer", "%ir k --after infer_layouts"),
                                 ("%source k --target sm_9", "%source k --target sm_90a")):
            shell.type(typed + "\t")
            shell.expect(completed[:-1].replace(".", r"\."), timeout=5)
            shell.expect(completed[-1:], timeout=5)
            shell.type("\x15\r")
            shell.prompt()
        # Another source makes another version, and both are kept.
        shell.paste(tutorial.code_cells()[1].replace("* 2.0 + 1.0", "* 3.0"))
        shell.type("\r")
        shell.prompt()
        shell.run("k2 = scale(256, 128)")
        shown = shell.run("%diff scale#1 scale#2")
        for text in ("scale#1[M=256, N=128]@mp_31 -> scale#2[M=256, N=128]@mp_31",
                     "-             B_local[i, j] = B_local[i, j] * 2.0 + 1.0",
                     "+             B_local[i, j] = B_local[i, j] * 3.0"):
            if text not in shown:
                failures.append(f"%diff: no {text!r} in\n{shown}")
        # Errors are reported in one line.
        for typed, answer in (("%ir nothing", "no kernel nothing; there are scale"),
                              ("%diff scale infer_layouts", "infer_layouts is a pass, not a kernel"),
                              ("%ir k --after infer_layout", "did you mean infer_layouts?"),
                              ("%layout k.B_loca", "did you mean B_local?"),
                              ("%layout k.B_local[3, 5]", "B_local[3, 5]  ->  warp 1, lane 17, register 1   (thread 49)"),
                              ("%source k --target c", 'extern "C" void'),
                              ("%check k", "in a sample of its blocks on generated tensors")):
            shown = shell.run(typed)
            if answer not in shown or "Traceback" in shown:
                failures.append(f"{typed}: {shown}")
        shell.type("exit()\r")
        shell.wait()
    print("\n".join(failures) if failures else f"{len(tutorial.EXPECTED)} cells")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
