# SPDX-License-Identifier: Apache-2.0
"""sys.stdin, sys.stdout and sys.stderr of a session: unbuffered streams to and from the front end."""

import io
import sys

import _tilelab_host as host


class _Bytes(io.RawIOBase):
    """`sys.stdout.buffer`: decodes bytes and writes them as text."""

    def __init__(self, stream):
        import codecs

        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def writable(self):
        return True

    def write(self, data):
        data = bytes(data)
        self._stream.write(self._decoder.decode(data))
        return len(data)


class OutputStream(io.TextIOBase):
    """An unbuffered text stream to the front end."""

    encoding = "utf-8"
    errors = "backslashreplace"
    newlines = None

    def __init__(self, name, descriptor):
        self._name = name
        self._descriptor = descriptor
        self._buffer = None

    @property
    def name(self):
        return f"<{self._name}>"

    @property
    def buffer(self):
        if self._buffer is None:
            self._buffer = _Bytes(self)
        return self._buffer

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if text:
            host.write(self._name, text)
        return len(text)

    def writable(self):
        return True

    def flush(self, _flush=host.flush):  # kept: Python 3.13 calls it after it has cleared this module
        _flush()

    def fileno(self):
        return self._descriptor

    def isatty(self):
        return bool(host.isatty(self._descriptor))

    def reconfigure(self, **options):
        """Accepted and ignored: there is one encoding and no buffer."""


class InputStream(io.TextIOBase):
    """sys.stdin: requests each line from the front end."""

    encoding = "utf-8"
    errors = "strict"
    name = "<stdin>"

    def __init__(self):
        self._rest = ""
        self._ended = False

    def readable(self):
        return True

    def fileno(self):
        return 0

    def isatty(self):
        return bool(host.isatty(0))

    def readline(self, size=-1):
        if not self._rest and not self._ended:
            try:
                self._rest = host.input("", False) + "\n"
            except EOFError:
                return ""
        end = len(self._rest) if size is None or size < 0 else size
        line, self._rest = self._rest[:end], self._rest[end:]
        return line

    def read(self, size=-1):
        return self.readline(size) if size is not None and size >= 0 else "".join(iter(self.readline, ""))


def read_line(prompt="", /):
    """input(): reads one line; an interrupt raises KeyboardInterrupt, the end EOFError."""
    sys.audit("builtins.input", prompt)
    return host.input(str(prompt), False)


def read_password(prompt="Password: ", stream=None):
    """getpass.getpass(): reads one line without echo."""
    return host.input(str(prompt), True)


_ended = int  # counts ended cells


def _unraised(unraisable):
    """Redelivers an interrupt that a destructor swallowed."""
    import _thread
    import signal
    import threading
    import time

    thread, before = threading.main_thread().ident, _ended()
    # Interrupts are raised in the main thread only, and another one may have ended when the signal is sent.
    if unraisable.exc_type is not KeyboardInterrupt or _thread.get_ident() != thread:
        return sys.__unraisablehook__(unraisable)

    def later():  # raised here it would be swallowed again
        time.sleep(0.001)
        if _ended() == before:  # no further cell has run
            signal.pthread_kill(thread, signal.SIGINT)

    _thread.start_new_thread(later, ())


def _stop_redelivery():
    """At exit an interrupt has nothing to end, and the thread that sends it would run while Python is finalized."""
    if sys.unraisablehook is _unraised:
        sys.unraisablehook = sys.__unraisablehook__


def replace_streams(ended):
    """Installs the streams, input() and getpass(). `ended()` counts ended cells."""
    global _ended
    sys.unraisablehook, _ended = _unraised, ended
    import atexit
    import builtins

    from . import exits, pristine

    atexit.register(_stop_redelivery)

    sys.stdout = OutputStream("stdout", 1)
    sys.stderr = OutputStream("stderr", 2)
    sys.stdin = InputStream()
    exits.keep_streams()
    builtins.input = pristine.__builtins__["input"] = read_line  # commands prompt as cells do
    from .imports import after_import

    after_import("getpass", lambda module: setattr(module, "getpass", read_password))
