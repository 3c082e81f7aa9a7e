# SPDX-License-Identifier: Apache-2.0
"""A kernel process and a client made of plain sockets: tests see each message and its time."""

import contextlib
import fcntl
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77  # exit status that CTest takes for "not run"

try:
    import zmq
    from jupyter_client.session import Session
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed for {sys.executable} "
          "(Debian: apt install python3-jupyter-client)")
    sys.exit(SKIPPED)

CHANNELS = {"shell": zmq.DEALER, "control": zmq.DEALER, "stdin": zmq.DEALER, "iopub": zmq.SUB,
            "hb": zmq.REQ}
# Seconds until a missing message counts as an error, longer where the machine has other work.
PATIENCE = 20.0 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
# Seconds within which a kernel reacts to a request that ends its work, on any machine: less than that work would take.
# How many milliseconds it takes is measured by bench/.
SOON = 10.0


_SLOTS = 200  # of 100 ports each


def _own_slot():
    """The number of a slot that no other process uses, and the locked file that reserves it while this process lives."""
    for i in range(_SLOTS):
        slot = (os.getpid() + i) % _SLOTS
        reserved = open(os.path.join(tempfile.gettempdir(), f"tilelab_test_ports_{slot}"), "a")
        with contextlib.suppress(OSError):
            fcntl.flock(reserved, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return slot, reserved
        reserved.close()
    raise RuntimeError("all ports for tests are in use")


_slot, _reserved = _own_slot()
_ports = itertools.cycle(range(10_000 + 100 * _slot, 10_100 + 100 * _slot))


def free_ports(count):
    """Unused ports of this process's slot. They are below those that the system chooses, so they are still unused when the kernel
    binds them; and a client of another test, which reconnects to its own kernel, never reaches this one."""
    ports = []
    while len(ports) < count:
        with socket.socket() as s, contextlib.suppress(OSError):
            port = next(_ports)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # those of kernels that have ended are unused
            s.bind(("127.0.0.1", port))
            ports.append(port)
    return ports


class Run:
    """The messages of one execute_request."""

    def __init__(self, reply, messages):
        self.reply = reply["content"]
        self.header = reply["header"]
        self.messages = messages  # of iopub, in order, statuses included

    def of(self, msg_type):
        return [m["content"] for m in self.messages if m["msg_type"] == msg_type]

    def text(self, name="stdout"):
        return "".join(c["text"] for c in self.of("stream") if c["name"] == name)

    @property
    def types(self):
        return [m["msg_type"] for m in self.messages]

    @property
    def states(self):
        return [c["execution_state"] for c in self.of("status")]


class Client:
    """One front end: its own session name, its own sockets."""

    def __init__(self, info, reconnect_ms=2):
        self.session = Session(key=info["key"].encode(), username="test")
        self.context = zmq.Context.instance()
        self.sockets = {}
        for name, kind in CHANNELS.items():
            s = self.context.socket(kind)
            s.setsockopt(zmq.RECONNECT_IVL, reconnect_ms)
            s.setsockopt(zmq.LINGER, 0)
            if kind == zmq.DEALER:
                s.setsockopt(zmq.IDENTITY, self.session.bsession)
            if "curve_publickey" in info:
                s.curve_serverkey = s.curve_publickey = info["curve_publickey"].encode()
                s.curve_secretkey = info["curve_secretkey"].encode()
            if kind == zmq.SUB:
                s.setsockopt(zmq.SUBSCRIBE, b"")
            s.connect(f"tcp://127.0.0.1:{info[name + '_port']}")
            self.sockets[name] = s

    def close(self):
        for s in self.sockets.values():
            s.close()

    def send(self, msg_type, content=None, channel="shell", parent=None, buffers=None, metadata=None):
        """Sends a request; its id."""
        if content is not None and not isinstance(content, dict):
            content = json.dumps(content).encode()  # Session would refuse it
        msg = self.session.msg(msg_type, content, parent=parent, metadata=metadata)
        self.session.send(self.sockets[channel], msg, buffers=buffers)
        return msg["header"]["msg_id"]

    def receive(self, channel, timeout=PATIENCE):
        if not self.sockets[channel].poll(int(timeout * 1000)):
            return None
        _, msg = self.session.recv(self.sockets[channel], zmq.NOBLOCK)
        return msg

    def reply_to(self, msg_id, channel="shell", timeout=PATIENCE):
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            msg = self.receive(channel, left)
            if msg and msg["parent_header"].get("msg_id") == msg_id:
                return msg
        raise AssertionError(f"no reply within {timeout} s")

    def outputs_of(self, msg_id, timeout=PATIENCE):
        """The iopub messages of a request, up to its idle status."""
        messages, end = [], time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            msg = self.receive("iopub", left)
            if not msg or msg["parent_header"].get("msg_id") != msg_id:
                continue
            messages.append(msg)
            if msg["msg_type"] == "status" and msg["content"]["execution_state"] == "idle":
                return messages
        raise AssertionError(f"no idle status within {timeout} s, but {[m['msg_type'] for m in messages]}")

    def request(self, msg_type, content=None, channel="shell"):
        """The content of the reply, after the request's idle status."""
        msg_id = self.send(msg_type, content, channel)
        content = self.reply_to(msg_id, channel)["content"]
        self.outputs_of(msg_id)
        return content

    def start(self, code, **content):
        return self.send("execute_request", {"code": code, "silent": False, "store_history": True,
                                             "user_expressions": {}, "allow_stdin": True, **content})

    def finish(self, msg_id):
        return Run(self.reply_to(msg_id), self.outputs_of(msg_id))

    def execute(self, code, **content):
        return self.finish(self.start(code, **content))

    def wait_for(self, channel, msg_type, timeout=PATIENCE):
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            msg = self.receive(channel, left)
            if msg and msg["msg_type"] == msg_type:
                return msg
        raise AssertionError(f"no {msg_type} within {timeout} s")


class Kernel:
    """A kernel process; `with Kernel(binary) as k: k.client.execute(...)`."""

    def __init__(self, binary, key="a-key", env=None, start=True, before=None, info=None):
        """`before` runs in the process that becomes the kernel; `info` is more of its connection file."""
        self.before = before
        self.dir = tempfile.TemporaryDirectory(prefix="tilelab_test_")
        self.binary, self.key = binary, key
        ports = free_ports(5)
        self.info = {"transport": "tcp", "ip": "127.0.0.1", "key": key,
                     "signature_scheme": "hmac-sha256", **(info or {})}
        for name, port in zip(CHANNELS, ports):
            self.info[name + "_port"] = port
        self.file = os.path.join(self.dir.name, "connection.json")
        with open(self.file, "w") as f:
            json.dump(self.info, f)
        self.env = {**os.environ, "XDG_STATE_HOME": self.dir.name, "NO_COLOR": "1", **(env or {})}
        self.clients = []
        self.process = None
        if start:
            self.start()

    def spawn(self):
        """Starts the process and connects, without waiting for it."""
        self.output = open(os.path.join(self.dir.name, "output"), "w+b")
        self.process = subprocess.Popen([self.binary, "kernel", "-f", self.file], env=self.env,
                                        stdin=subprocess.DEVNULL, stdout=self.output,
                                        stderr=self.output, start_new_session=True,
                                        preexec_fn=self.before)
        self.client = self.new_client()

    def start(self):
        self.spawn()
        # From the first iopub message on, none is missed.
        deadline = time.monotonic() + PATIENCE
        while not self.client.receive("iopub", 0.05):
            assert self.process.poll() is None, f"the kernel died: {self.printed()!r}"
            assert time.monotonic() < deadline, "the kernel does not speak"
            self.client.send("kernel_info_request")
        time.sleep(0.05)
        for s in ("shell", "iopub"):
            while self.client.receive(s, 0.05):
                pass

    def new_client(self, **options):
        client = Client(self.info, **options)
        self.clients.append(client)
        return client

    def interrupt(self):
        """By the signal, to the process group, as front ends send it."""
        os.killpg(self.process.pid, signal.SIGINT)

    def printed(self):
        """The kernel's output on its own terminal."""
        self.output.seek(0)
        return self.output.read().decode(errors="replace")

    def wait(self, timeout=PATIENCE):
        return self.process.wait(timeout)

    def close(self):
        for client in self.clients:
            client.close()
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process:
            self.output.close()
        self.dir.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
