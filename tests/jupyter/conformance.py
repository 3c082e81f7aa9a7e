# SPDX-License-Identifier: Apache-2.0
"""The kernel against jupyter_kernel_test, the notebook project's own suite:
conformance.py KERNEL ENVIRONMENT. The suite comes from PyPI into a virtual environment at that
path, once; without a network the test is skipped, with a line that says so."""

import os
import subprocess
import sys
import tempfile

SKIPPED = 77
# What test_comms.py, test_debugger.py and the tutorial as a notebook need, too.
PACKAGES = ["jupyter_kernel_test==0.7.0", "ipywidgets==8.1.9", "tqdm==4.70.1", "nbclient==0.10.2", "nbformat==5.10.4",
            "debugpy==1.8.22", "numpy==2.4.6"]
NAME = "tilelab-conformance"


def environment_python(directory):
    """The interpreter of the environment, made if need be; skips where that is impossible."""
    python = os.path.join(directory, "bin", "python")
    ready = os.path.join(directory, "has " + " ".join(PACKAGES))
    if os.path.exists(ready):
        return python
    made = subprocess.run([sys.executable, "-m", "venv", directory], capture_output=True, text=True)
    if made.returncode:
        skip("this Python cannot make a virtual environment (Debian: apt install python3-venv)")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1",
           "--timeout", "10", *PACKAGES]
    if subprocess.run(pip, capture_output=True).returncode:
        skip(f"{', '.join(PACKAGES)}: not all installed in {directory} and PyPI cannot be reached from here")
    with open(ready, "w"):
        return python


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)


def main():
    kernel, directory = (os.path.abspath(path) for path in sys.argv[1:3])
    python = environment_python(directory)
    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run([kernel, "install-kernel", "--prefix", prefix, "--name", NAME], check=True,
                       stdout=subprocess.DEVNULL)
        env = {**os.environ, "JUPYTER_PATH": os.path.join(prefix, "share", "jupyter"),
               "XDG_STATE_HOME": prefix, "TILELAB_KERNEL_NAME": NAME}
        samples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "conformance_samples.py")
        sys.exit(subprocess.run([python, samples, *sys.argv[3:]], env=env).returncode)


if __name__ == "__main__":
    main()
