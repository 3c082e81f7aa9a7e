# SPDX-License-Identifier: Apache-2.0
"""The connection to debugpy, which debugs the Python of this process. The session is its debug adapter: debugpy connects to a socket of the
session, which accepts one connection and is then closed, so other processes cannot reach the debugger. Both speak the Debug Adapter Protocol."""

import os
import sys

from .pristine import __builtins__  # unaffected by user code

MISSING = "debugpy is not installed for this kernel's Python: run %pip install debugpy, then restart the kernel"
_RUNS = 1  # pydevd's STATE_RUN
_PATIENCE = 10  # seconds until debugpy connects, or has switched tracing on


class Refused(Exception):
    """A request failed; the text is for the user."""


def unseen(thread):
    """Hides a thread from debugpy: it is neither listed nor stopped."""
    thread.pydev_do_not_trace = thread.is_pydev_daemon_thread = True
    return thread


def _start(target):
    import threading

    thread = unseen(threading.Thread(target=target, daemon=True))
    thread.start()
    return thread


def _imported():
    """The module debugpy. Its import warns of frozen modules, which cells are not."""
    if "threading" not in sys.modules:  # debugpy was installed after the start; it would take this thread for the main one
        raise Refused(MISSING)
    unset = object()
    before = os.environ.get("PYDEVD_DISABLE_FILE_VALIDATION", unset)
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    try:
        import debugpy

        debugpy.configure(subProcess=False)
    except ImportError as missing:
        raise Refused(MISSING) from missing
    finally:
        if before is unset:
            del os.environ["PYDEVD_DISABLE_FILE_VALIDATION"]
    return debugpy


class Link:
    """One connection for the life of the process; `event` receives every event, on a thread of the link."""

    def __init__(self, event):
        self.debugpy = _imported()
        import queue
        import socket
        import threading

        unseen(threading.current_thread())
        self._event, self._answers, self._sent, self._releases = event, queue.SimpleQueue(), 0, False
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(_PATIENCE)
            port = server.getsockname()[1]
            self._connecting = _start(lambda: self.debugpy.connect(("127.0.0.1", port)))  # returns once configured
            self._socket = server.accept()[0]
        self._socket.settimeout(None)
        _start(self._read)

    def request(self, command, arguments=None):
        """Sends a request and waits for the response."""
        import json

        self._sent += 1
        body = json.dumps({"seq": self._sent, "type": "request", "command": command, "arguments": arguments or {}}).encode()
        try:
            self._socket.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        except OSError:
            raise Refused("debugpy has ended") from None
        while (response := self._answers.get()) is not None:
            if response.get("request_seq") == self._sent:
                return response
        self._answers.put(None)
        raise Refused("debugpy has ended")

    def configured(self):
        """Waits until debugpy traces; call it once the configuration is done."""
        self._connecting.join(_PATIENCE)
        if not self._releases:
            self._releases = True
            _release_interrupted()

    def close(self):
        """Ends the connection, and the wait of a request."""
        import socket

        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _read(self):
        import json
        import socket

        with self._socket.makefile("rb") as stream:
            try:
                while size := _size_of_next(stream):
                    # Otherwise the body waits for the acknowledgement of the header, 40 ms.
                    self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
                    message = json.loads(stream.read(size))
                    (self._event if message.get("type") == "event" else self._answers.put)(message)
            except (OSError, ValueError):
                pass
        self._answers.put(None)

    # ---- the tracing of this process

    def trace(self, on):
        """Whether debugpy traces the calling thread; an interrupt while it is stopped ends its tracing."""
        self.debugpy.trace_this_thread(on)

    def name_file(self, name, path):
        """Code that was compiled under `name` belongs to the file `path`, for breakpoints and stacks."""
        from pydevd_file_utils import NORM_PATHS_AND_BASE_CONTAINER as names

        names[name] = (path, path, os.path.basename(path))

    def end_step(self):
        """Ends a step of the calling thread, which would otherwise stop in the next code that it runs, and a stop that was interrupted."""
        info = self.step_state()
        info.pydev_state, info.pydev_step_cmd, info.pydev_step_stop = _RUNS, -1, None

    def step_state(self):
        import threading

        from _pydevd_bundle.pydevd_additional_thread_info import set_additional_thread_info

        return set_additional_thread_info(threading.current_thread())


def _release_interrupted():
    """An interrupt of a stopped thread ends the stop: debugpy would stop the thread again where Python unwinds."""
    from _pydevd_bundle.pydevd_additional_thread_info import set_additional_thread_info
    from _pydevd_bundle.pydevd_constants import get_global_debugger

    debugger = get_global_debugger()
    wait = debugger.do_wait_suspend

    def wait_or_release(thread, *arguments, **options):
        try:
            return wait(thread, *arguments, **options)
        except BaseException:
            set_additional_thread_info(thread).pydev_state = _RUNS
            raise

    debugger.do_wait_suspend = wait_or_release


def _size_of_next(stream):
    """The size of the next message, from its header; 0 at the end."""
    size = 0
    while line := stream.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
    return size
