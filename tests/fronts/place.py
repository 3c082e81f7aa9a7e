# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the tests of front ends: a separate environment with the kernelspec, notebooks, servers."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

NAME = "tilelab-fronts"
PATIENCE = 60.0  # seconds: browsers are slow on a busy machine
PROGRAM = os.path.abspath(sys.argv.pop(1))


class Place:
    """A folder with the kernelspec; what runs in it knows no other."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="tilelab_fronts_")
        self.path = self.directory.name
        subprocess.run([PROGRAM, "install-kernel", "--prefix", self.path, "--name", NAME], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "VIRTUAL_ENV": sys.prefix})
        self.env = {**os.environ, "JUPYTER_PATH": self.path + "/share/jupyter", "HOME": self.path,
                    "JUPYTER_CONFIG_DIR": self.path + "/config", "JUPYTER_RUNTIME_DIR": self.path + "/runtime",
                    "XDG_STATE_HOME": self.path, "JUPYTER_PLATFORM_DIRS": "1",
                    "PATH": os.path.dirname(sys.executable) + ":" + os.environ["PATH"]}
        self.env.pop("VIRTUAL_ENV", None)
        # Front ends of this test run in this process, too.
        os.environ.update({k: self.env[k] for k in ("JUPYTER_PATH", "JUPYTER_RUNTIME_DIR", "XDG_STATE_HOME")})

    def notebook(self, *cells, name="test.ipynb"):
        """The path of a notebook with these cells."""
        import nbformat

        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
        notebook.metadata["kernelspec"] = {"name": NAME, "display_name": "tilelab", "language": "python"}
        notebook.metadata["language_info"] = {"name": "python", "file_extension": ".py", "nbconvert_exporter": "python"}
        path = os.path.join(self.path, name)
        nbformat.write(notebook, path)
        return path

    def run(self, *command, **options):
        return subprocess.run([sys.executable, "-m", *command], cwd=self.path, env=self.env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE, **options)

    def close(self):
        self.directory.cleanup()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """A Jupyter server on loopback; `with Server(place, "jupyterlab") as url`."""

    def __init__(self, place, module, *options):
        self.place, self.port = place, free_port()
        self.log = open(os.path.join(place.path, "server.log"), "w+")
        self.command = [sys.executable, "-m", module, *options, f"--port={self.port}", "--ip=127.0.0.1"]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, cwd=self.place.path, env=self.place.env, stdout=self.log,
                                        stderr=self.log, start_new_session=True)
        url, end = f"http://127.0.0.1:{self.port}", time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            try:
                self.get(url + "/api")
                return url
            except OSError:
                time.sleep(0.1)
        said = self.said()
        self.__exit__()
        raise AssertionError("the server does not answer: " + said)

    def said(self):
        self.log.seek(0)
        return self.log.read()[-3000:]

    @staticmethod
    def get(url, method="GET", body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            text = reply.read()
        return json.loads(text) if text else None

    def __exit__(self, *_):
        url = f"http://127.0.0.1:{self.port}/api/kernels"
        try:  # a server that still has kernels may wait for them for minutes
            for kernel in self.get(url):
                self.get(f"{url}/{kernel['id']}", "DELETE")
        except OSError:
            pass
        for kill in (signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                os.killpg(self.process.pid, kill)
                try:
                    self.process.wait(5)
                except subprocess.TimeoutExpired:
                    pass
        self.log.close()
