# SPDX-License-Identifier: Apache-2.0
"""messages.py KERNEL SECONDS [COUNT [SEED]]: mutated Jupyter messages to a kernel, with the right key.

Whatever arrives, the kernel lives and answers: each well-formed request gets one reply and an idle
status. A batch that breaks this is sent again to a new kernel, message by message, until one alone,
or the batch as a whole, is shown to do it. KERNEL is best fake_kernel: its cells are harmless.
"""

import copy
import json
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "jupyter"))
from harness import PATIENCE, Kernel, zmq  # noqa: E402

BATCH = 100
REQUESTS = [
    ("execute_request", {"code": "out a\nerr b\nresult 5", "silent": False, "store_history": True,
                         "user_expressions": {"x": "1"}, "allow_stdin": False, "stop_on_error": True}),
    ("execute_request", {"code": "show x\nnamed y\nupdate z\nclear\npage p\nnext n"}),
    ("execute_request", {"code": "fail E", "stop_on_error": False}),
    ("execute_request", {"code": "throw odd", "stop_on_error": True}),
    ("complete_request", {"code": "abc", "cursor_pos": 2}),
    ("complete_request", {"code": "throw", "cursor_pos": 2}),
    ("inspect_request", {"code": "abc", "cursor_pos": 2, "detail_level": 1}),
    ("is_complete_request", {"code": "if x: ..."}),
    ("history_request", {"hist_access_type": "range", "session": 0, "start": 1, "stop": 9,
                         "output": True, "raw": True}),
    ("history_request", {"hist_access_type": "tail", "n": 5, "output": False, "raw": True}),
    ("history_request", {"hist_access_type": "search", "pattern": "o*", "n": 5, "unique": True}),
    ("comm_info_request", {"target_name": "x"}), ("kernel_info_request", {}),
    ("comm_open", {"comm_id": "c", "target_name": "t", "data": {}}),
    ("comm_msg", {"comm_id": "c", "data": {}}), ("comm_close", {"comm_id": "c", "data": {}}),
    ("interrupt_request", {}), ("nonsense_request", {}), ("input_reply", {"value": "x"}),
    ("debug_request", {"command": "x"}), ("connect_request", {}), ("create_subshell_request", {})]
ODD = [None, True, False, -1, 0, 1, 2**31, 2**63, 2**70, -2**63 - 1, 1e300, -0.5, "", "x", "\ud800",
       "\udfff\ud83d", "\0", "é" * 50, "x" * 5000, [], {}, [[]], {"": None}, [{"a": [1, {}]}]]


class Generator:
    """Messages of one seed."""

    def __init__(self, seed, session):
        self.rng = random.Random(seed)
        self.session = session
        self.sent = []  # earlier frames, for replays

    def odd(self):
        if self.rng.random() < 0.01:
            depth = self.rng.choice((150, 250, 3000, 100000))
            return _Raw(b"[" * depth + b"]" * depth)
        return copy.deepcopy(self.rng.choice(ODD))

    def place(self, value):
        """A random object or list inside a value."""
        inside = [v for v in (value.values() if isinstance(value, dict) else value)
                  if isinstance(v, (dict, list)) and v]
        return self.place(self.rng.choice(inside)) if inside and self.rng.random() < 0.4 else value

    def change(self, value):
        at = self.place(value)
        if isinstance(at, dict):
            key = self.rng.choice(list(at) or ["x"])
            way = self.rng.random()
            if way < 0.6:
                at[key] = self.odd()
            elif way < 0.8:
                at.pop(key, None)
            else:
                at[self.rng.choice(["", "x", "code", "status", "\ud800"])] = self.odd()
        elif at:
            at[self.rng.randrange(len(at))] = self.odd()

    def bytes_changed(self, text):
        text = bytearray(text)
        for _ in range(self.rng.randrange(1, 4)):
            at = self.rng.randrange(len(text) + 1)
            way = self.rng.random()
            if way < 0.4 and at < len(text):
                text[at] = self.rng.randrange(256)
            elif way < 0.7:
                text[at:at + self.rng.randrange(4)] = b""
            else:
                text[at:at] = self.rng.choice([b"\xff", b'"', b"{", b"]", b"\\ud800", b"\\u", b"1e999", b"NaN", b"\0"])
        return bytes(text)

    def message(self):
        """(channel, frames, id if a reply must come, id if an idle must come)."""
        if self.sent and self.rng.random() < 0.03:
            return self.rng.choice(("shell", "control")), self.rng.choice(self.sent), None, None
        kind, content = self.rng.choice(REQUESTS)
        content = json.loads(json.dumps(content))
        header = self.session.msg_header(kind)
        header["date"] = str(header["date"])
        channel = "control" if self.rng.random() < 0.15 else "shell"
        if channel == "shell" and self.rng.random() < 0.02:
            channel = "stdin"
        identity, answered = header["msg_id"], True
        for _ in range(self.rng.choice((0, 1, 1, 2, 3))):
            self.change(content)
        parent, metadata = {}, {}
        if self.rng.random() < 0.1:
            self.change(self.rng.choice((parent, metadata)))
        if self.rng.random() < 0.15:
            self.change(header)
            answered = False  # who is asked, and for what, is open
        parts = [_dump(p) for p in (header, parent, metadata, content)]
        if self.rng.random() < 0.15:
            which = self.rng.randrange(4)
            parts[which] = self.bytes_changed(parts[which])
            answered = answered and which != 0
        signature = self.session.sign(parts)
        if self.rng.random() < 0.05:
            signature, answered = self.bytes_changed(signature), False
        frames = [b"<IDS|MSG>", signature, *parts]
        way = self.rng.random()
        if way < 0.03:
            frames.append(b"a buffer")
        elif way < 0.06:
            del frames[self.rng.randrange(len(frames))]
            answered = False
        if frames[1:2] and answered:
            self.sent = self.sent[-50:] + [frames]
        answered = answered and channel != "stdin"
        wants = kind.endswith("_request")
        return channel, frames, identity if answered and wants else None, identity if answered else None


class _Raw(bytes):
    """Raw JSON text."""


def _dump(value):
    raws = []

    def stand_in(v):
        if isinstance(v, _Raw):
            raws.append(bytes(v))
            return f"@raw{len(raws) - 1}@"
        if isinstance(v, dict):
            return {k: stand_in(w) for k, w in v.items()}
        return [stand_in(w) for w in v] if isinstance(v, list) else v

    text = json.dumps(stand_in(value)).encode()
    for i, raw in enumerate(raws):
        text = text.replace(f'"@raw{i}@"'.encode(), raw)
    return text


class Run:
    """One kernel and what it has answered."""

    def __init__(self, binary):
        self.kernel = Kernel(binary)
        self.client = self.kernel.client
        for socket in self.client.sockets.values():
            socket.setsockopt(zmq.RCVHWM, 0)

    def parent_of(self, frames):
        at = frames.index(b"<IDS|MSG>")
        parent = json.loads(frames[at + 3])
        return json.loads(frames[at + 2])["msg_type"], parent.get("msg_id"), frames[at + 5]

    def collect(self, sentinels, asked, seconds):
        """The messages until each sentinel and what was `asked` have their replies and idle statuses: ids with a reply, with an idle. Debug
        requests are answered by another thread: they have as long again after the sentinels."""
        replies, idles, end = {}, set(), time.monotonic() + seconds
        late = None
        poller = zmq.Poller()
        for name in ("shell", "control", "iopub"):
            poller.register(self.client.sockets[name], zmq.POLLIN)
        while not all(s in replies and s in idles for s in sentinels) or not (asked <= replies.keys() and asked <= idles):
            if late is None and all(s in replies for s in sentinels):
                late = time.monotonic() + seconds
            if late is not None and time.monotonic() > late:
                break
            if self.kernel.process.poll() is not None:
                return f"the kernel ended with {self.kernel.process.returncode}"
            if late is None and time.monotonic() > end:
                return "the kernel does not answer"
            for socket, _ in poller.poll(100):
                while True:
                    try:
                        kind, parent, content = self.parent_of(socket.recv_multipart(zmq.NOBLOCK))
                    except zmq.Again:
                        break
                    if kind.endswith("_reply"):
                        replies[parent] = replies.get(parent, 0) + 1
                    elif kind == "status" and b'"idle"' in content:
                        idles.add(parent)
        return replies, idles

    def send(self, messages):
        """The problem of the answers, or ""."""
        for channel, frames, _, _ in messages:
            self.client.sockets[channel].send_multipart(frames)
        sentinels = [self.client.send("kernel_info_request", channel=c) for c in ("shell", "control")]
        asked = {reply for _, frames, reply, idle in messages if reply and idle and not named_elsewhere(reply, frames, messages)}
        seen = self.collect(sentinels, asked, PATIENCE)
        if isinstance(seen, str):
            return seen
        replies, idles = seen
        for channel, frames, reply, idle in messages:
            if reply and replies.get(reply) != 1 and not named_elsewhere(reply, frames, messages):
                return f"{replies.get(reply, 0)} replies on {channel} to {frames[2:]}"[:2000]
            if idle and idle not in idles:
                return f"no idle after {frames[2:]}"[:2000]
        return ""


def named_elsewhere(name, frames, messages):
    """Whether a changed byte has given another message of the batch the id of this one."""
    return any(name.encode() in part for _, other, _, _ in messages if other != frames for part in other[2:3])


def culprit(binary, messages):
    """The first message that reproduces it alone, in a separate kernel."""
    for message in messages:
        run = Run(binary)
        wrong = run.send([message])
        run.kernel.close()
        if wrong:
            return f"alone: {wrong}\n  {message[0]} {message[1]}"[:4000]
    return "by the whole batch only"


def main():
    binary, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1 << 60
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else int(os.environ.get("TILELAB_SEED") or time.time())
    run, sent, end = Run(binary), 0, time.monotonic() + seconds
    generator = Generator(seed, run.client.session)
    asked = 0
    while sent < count and time.monotonic() < end:
        messages = [generator.message() for _ in range(BATCH)]
        wrong = run.send(messages)
        sent += len(messages)
        asked += sum(1 for m in messages if m[2])
        if wrong:
            run.kernel.close()
            print(f"FAILED with seed {seed} in the batch before message {sent}: {wrong}")
            print(culprit(binary, messages))
            return 1
    alive = run.client.execute("out on").text() == "on\n"
    run.kernel.close()
    print(f"{sent} messages, {asked} of them well-formed requests, each with one reply and idle; seed {seed}")
    return 0 if alive else 1


if __name__ == "__main__":
    sys.exit(main())
