# SPDX-License-Identifier: Apache-2.0
"""The tutorial through nbclient, as a notebook: test_notebook.py TILELAB ENVIRONMENT. The virtual environment is that of
tests/jupyter, which has nbclient; without a network the test is skipped, with a line that says so."""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "jupyter")]

from conformance import environment_python, skip  # noqa: E402
import tutorial  # noqa: E402


def run_notebook():
    """In the environment: executes the notebook and compares every cell."""
    import nbclient
    import nbformat

    notebook = nbformat.read(tutorial.FIRST, 4)
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="tilelab").execute()
    failures, views = [], 0
    for number, cell in enumerate(c for c in notebook.cells if c.cell_type == "code"):
        bundles = [o["data"] for o in cell.outputs if "data" in o]
        shown = "\n".join(o.get("text", "") for o in cell.outputs)
        shown += "\n".join(b["text/plain"] for b in bundles)
        failures += [f"cell {number + 1}: no {text!r} in\n{shown}" for text in tutorial.missing(number, shown)]
        for bundle in bundles:
            html = bundle.get("text/html", "")
            views += bool(html)
            if "<script" in html or "<style" in html or "application/json" in bundle:
                failures.append(f"cell {number + 1}: HTML that an untrusted notebook would not show")
    if views < 7:
        failures.append(f"only {views} cells show HTML")
    print("\n".join(failures) if failures else f"{len(tutorial.EXPECTED)} cells, {views} with HTML")
    sys.exit(bool(failures))


def main():
    kernel, directory = (os.path.abspath(path) for path in sys.argv[1:3])
    if subprocess.run([kernel, "kernel", "--help"], capture_output=True).returncode:
        skip("this build has no notebook kernel")
    python = environment_python(directory)
    with tempfile.TemporaryDirectory() as prefix:
        made = subprocess.run([kernel, "install-kernel", "--prefix", prefix, "--name", "tilelab"],
                              capture_output=True, text=True)
        if made.returncode == 3:
            skip(made.stderr.strip())
        env = {**os.environ, "JUPYTER_PATH": os.path.join(prefix, "share", "jupyter"),
               "XDG_STATE_HOME": prefix}
        sys.exit(subprocess.run([python, os.path.abspath(__file__), "--inside"], env=env).returncode)


if __name__ == "__main__":
    run_notebook() if sys.argv[1] == "--inside" else main()
