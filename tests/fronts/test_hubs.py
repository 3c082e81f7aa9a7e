# SPDX-License-Identifier: Apache-2.0
"""The kernel as a class or a cluster has it: PYTHON test_hubs.py KERNEL [unittest options].

PYTHON has JupyterHub (pip install jupyterhub jupyterlab nbformat websocket-client; Debian: node-configurable-http-proxy) or
Jupyter Enterprise Gateway (pip install jupyter_enterprise_gateway nbformat websocket-client), which want other versions
of the same packages. What it lacks is skipped, with a line that says so."""

import importlib.util
import os
import shutil
import signal
import sys
import textwrap
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from place import NAME, PATIENCE, Place, Server, free_port
from rest import Rest, talk

PROXY = shutil.which("configurable-http-proxy")
TOKEN = "0123456789abcdef" * 2
KERNEL = """import os, tilelang, tilelang.language as T
@T.prim_func
def twice(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=32) as bx:
        for i in T.Parallel(64):
            B[i] = A[i] * 2.0
k = tilelang.compile(twice, out_idx=[-1])
import numpy as np
print(os.environ["USER"], os.getpid(), k(np.ones(64, "float32")).sum())"""


def needs(*modules):
    missing = [m for m in modules if importlib.util.find_spec(m) is None]
    return unittest.skipIf(missing, f"{sys.executable} has no {', '.join(missing)}")


def until(holds):
    """Waits until it does."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Hub(Server):
    """JupyterHub with a server for each user, on loopback; the holder of TOKEN starts and stops them."""

    def __init__(self, place):
        place.env.setdefault("NODE_PATH", "/usr/share/nodejs")  # only Debian's own node searches that path by default
        super().__init__(place, "jupyterhub", "-f", os.path.join(place.path, "hub.py"))
        configuration = f"""
            c = get_config()
            c.JupyterHub.bind_url = "http://127.0.0.1:{self.port}"
            c.JupyterHub.hub_port = {free_port()}
            c.JupyterHub.db_url = "sqlite:///{place.path}/hub.sqlite"
            c.JupyterHub.cookie_secret_file = "{place.path}/secret"
            c.JupyterHub.cleanup_servers = c.JupyterHub.cleanup_proxy = True
            c.ConfigurableHTTPProxy.command = ["{PROXY}"]
            c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{free_port()}"
            c.ConfigurableHTTPProxy.pid_file = "{place.path}/proxy.pid"
            c.JupyterHub.authenticator_class = "dummy"
            c.Authenticator.allowed_users = {{"ada", "emmy"}}
            c.JupyterHub.spawner_class = "simple"
            c.SimpleLocalProcessSpawner.home_dir_template = "{place.path}/{{username}}"
            c.Spawner.environment = {{"JUPYTER_PATH": "{place.env["JUPYTER_PATH"]}"}}
            c.Spawner.args = ["--allow-root"]
            c.JupyterHub.services = [{{"name": "teacher", "api_token": "{TOKEN}"}}]
            c.JupyterHub.load_roles = [{{"name": "teacher", "services": ["teacher"],
                                        "scopes": ["admin:users", "admin:servers", "tokens"]}}]
            """
        with open(self.command[self.command.index("-f") + 1], "w") as file:
            file.write(textwrap.dedent(configuration))
        self.command = self.command[:-2]  # the file has its address

    def __enter__(self):
        return Users(super().__enter__())


class Users:
    """A client with TOKEN."""

    def __init__(self, url):
        self.url, self.hub = url, Rest(url + "/hub", TOKEN)
        for name in ("ada", "emmy"):
            until(lambda: self._is_known(name))

    def _is_known(self, name):
        try:
            return self.hub.ask("/api/users/" + name)["name"] == name
        except OSError:
            return False

    def runs(self, name):
        return bool(self.hub.ask("/api/users/" + name)["servers"])

    def server(self, name):
        """The user's own server, which runs."""
        if not self.runs(name):
            self.hub.ask(f"/api/users/{name}/server", "POST", {})
        until(lambda: self.hub.ask("/api/users/" + name)["servers"].get("", {}).get("ready"))
        token = self.hub.ask(f"/api/users/{name}/tokens", "POST", {"note": "test"})["token"]
        return Rest(f"{self.url}/user/{name}", token)

    def stop(self, name):
        self.hub.ask(f"/api/users/{name}/server", "DELETE")
        until(lambda: not self.runs(name))


@needs("jupyterhub", "jupyterlab", "websocket", "nbformat")
@unittest.skipUnless(PROXY, "there is no configurable-http-proxy (apt install node-configurable-http-proxy)")
class JupyterHub(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Place()
        cls.addClassCleanup(cls.place.close)
        cls.users = cls.enterClassContext(Hub(cls.place))

    def test_two_users_at_once(self):
        servers = {name: self.users.server(name) for name in ("ada", "emmy")}
        kernels = {name: server.start() for name, server in servers.items()}
        for name, kernel in kernels.items():
            self.assertRegex(kernel.says(KERNEL), rf"^{name} \d+ 128\.0\n$")
            self.assertIn(NAME, servers[name].ask("/api/kernelspecs")["kernelspecs"])
            kernel.execute(f"mine = '{name}'")
        kernels["ada"].says("print('begun', flush=True)\nwhile True: pass")
        self.assertEqual(kernels["emmy"].says("print(mine)"), "emmy\n")
        kernels["ada"].interrupt()
        self.assertEqual(kernels["ada"].wait("error")["ename"], "KeyboardInterrupt")
        self.assertEqual(kernels["ada"].says("print(mine)"), "ada\n")
        kernels["emmy"].restart()
        self.assertEqual(kernels["emmy"].says("print('mine' in globals())"), "False\n")
        self.assertEqual(kernels["ada"].says("print(mine)"), "ada\n")
        for kernel in kernels.values():
            kernel.delete()
        with ThreadPoolExecutor() as threads:
            list(threads.map(lambda server: talk(self, server), servers.values()))

    def test_a_stranger_gets_no_kernel(self):
        server = self.users.server("ada")
        for token in (None, "wrong"):
            with self.assertRaisesRegex(OSError, "403"):
                Rest(server.url, token).ask("/api/kernels")

    def test_a_server_that_is_stopped_takes_its_kernels_along(self):
        pids = []
        server = self.users.server("ada")
        for ending in ("", "while True: pass", "input()", "import signal, time\nsignal.signal(2, signal.SIG_IGN)\ntime.sleep(900)"):
            kernel = server.start()
            self.addCleanup(kernel.channel.close)
            pids.append(int(kernel.says(KERNEL + "\n" + ending).split()[1]))
        self.assertTrue(all(map(lives, pids)))
        self.users.stop("ada")
        until(lambda: not any(map(lives, pids)))
        talk(self, self.users.server("ada"))

    def test_a_server_that_is_killed_leaves_no_kernel(self):
        server = self.users.server("emmy")
        kernel = server.start()
        self.addCleanup(kernel.channel.close)
        parent, pid = map(int, kernel.says("import os; print(os.getppid(), os.getpid())\nwhile True: pass").split())
        os.kill(parent, 9)
        until(lambda: not lives(pid))
        until(lambda: not self.users.runs("emmy"))  # the hub has noticed
        talk(self, self.users.server("emmy"))


@needs("enterprise_gateway", "websocket", "nbformat")
class EnterpriseGateway(unittest.TestCase):
    """Kernels of the gateway's own machine; to other machines it starts them by launchers, which are for ipykernel."""

    def test_two_users_at_once(self):
        place = Place()
        self.addCleanup(place.close)
        gateway = Server(place, "enterprise_gateway", "--EnterpriseGatewayApp.list_kernels=True",
                         "--EnterpriseGatewayApp.max_kernels_per_user=2")
        with gateway as url:
            server = Rest(url)
            if os.getuid() == 0:
                with self.assertRaisesRegex(OSError, "403"):  # it starts nothing for root
                    server.start()
            kernels = {name: server.start(env={"KERNEL_USERNAME": name, "KERNEL_MINE": "of " + name}) for name in ("ada", "emmy")}
            for name, kernel in kernels.items():
                self.assertRegex(kernel.says(KERNEL.replace("USER", "KERNEL_USERNAME")), rf"^{name} \d+ 128\.0\n$")
                self.assertEqual(kernel.says("print(os.environ['KERNEL_MINE'])"), f"of {name}\n")
            pid = int(kernels["ada"].says("print(os.getpid(), flush=True)\nwhile True: pass"))
            self.assertEqual(kernels["emmy"].says("print(6 * 7)"), "42\n")
            kernels["ada"].interrupt()
            self.assertEqual(kernels["ada"].wait("error")["ename"], "KeyboardInterrupt")
            self.assertEqual(kernels["ada"].says("print(os.getpid())"), f"{pid}\n")
            kernels["emmy"].restart()
            self.assertEqual(kernels["emmy"].says("print('k' in globals())"), "False\n")
            kernels["ada"].says("print('begun', flush=True)\nwhile True: pass")
            kernels["ada"].delete()
            until(lambda: not lives(pid))
            kernels["emmy"].delete()
            talk(self, server, env={"KERNEL_USERNAME": "ada"})
            last = server.start(env={"KERNEL_USERNAME": "ada"})
            pid = int(last.says("import os; print(os.getpid(), flush=True)\nwhile True: pass"))
            os.kill(gateway.process.pid, signal.SIGTERM)
            until(lambda: not lives(pid))
            last.channel.close()


if __name__ == "__main__":
    unittest.main()
