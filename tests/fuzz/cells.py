# SPDX-License-Identifier: Apache-2.0
"""cells.py TILELAB SECONDS [SEED [COUNT]]: random cells and mutated kernels in a notebook kernel, some of them
interrupted at a random moment.

Each cell gets its reply, soon after an interrupt at the latest; no cell shows a bug of tilelab; the
kernel lives and keeps its variables. A cell that breaks this is made shorter and printed.
"""

import glob
import io
import os
import random
import resource
import sys
import time
import tokenize

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "jupyter"))
from harness import Kernel, zmq  # noqa: E402

PATIENCE = (0.15,) * 19 + (4.0,)  # seconds that a cell may run before it is interrupted, one of these
GRACE = 20.0  # and that it may then take to end
MEMORY = 3 << 30  # bytes: an array of 10**9 floats is refused, not filled for seconds
LINES = ["x = [1, 2, 3]", "y = {k: k * k for k in range(9)}", "print(sum(range(10**5)))", "1/0", "del x",
         "def f(n): return n if n < 2 else f(n - 1) + f(n - 2)", "f(18)", "f(10**5)", "while True: pass",
         "import time; time.sleep(0.3)", "class A:\n    def __repr__(self): 1/0", "A()", "raise KeyboardInterrupt",
         "try:\n    while True: pass\nexcept KeyboardInterrupt: print('caught')", "import sys; sys.exit(3)",
         "print('a' * 10**6)", "[i for i in range(10**6)][-1]", "import numpy as np; np.ones((300, 300)) @ np.ones((300, 300))",
         "%target", "%kernels", "%who", "len?", "%time sum(range(1000))", "!true", "%%timeit -n 1 -r 1\n1", "x = 5;",
         "import threading; threading.Thread(target=print, args=('t',)).start()", "_ = 3", "Out", "In[-1][:50]",
         "raise type('E', (Exception,), {'__str__': lambda s: 1/0})()", "def g(): yield from g()", "list(g())",
         "'\\ud800'", "print('\\udfff')", "exec('def h(): 1/0'); h()", "compile('(' * 300, '', 'exec')",
         "-" * 3000 + "1", "'%s' % ('x' * 100,)", "async def a(): await a()", "global q; q = 1", "return 5", "%nope",
         "%ir", "%diff", "%layout", "%check", "T.Tensor((2,), 'float32')", "import tilelang.language as T"]
FORBIDDEN = ("exit(", "quit(", "open(", "os.", "subprocess", "shutil", "Path(")
NUMBERS = ["0", "1", "-1", "3", "7", "33", "128", "2**31", "2**63", "10**9", "0.5", "1e300", "None", "True", "'x'", "()"]


def corpus():
    files = sorted(glob.glob(os.path.join(HERE, "..", "wrong", "*.py")) +
                   glob.glob(os.path.join(HERE, "..", "puzzles", "p*.py")))
    texts = [open(path, encoding="utf-8").read() for path in files]
    return [text for text in texts if not any(word in text for word in FORBIDDEN)]


def tokens_of(text):
    try:
        return [t.string if t.type != tokenize.NEWLINE else "\n"
                for t in tokenize.generate_tokens(io.StringIO(text).readline)]
    except (tokenize.TokenError, SyntaxError):
        return text.split(" ")


def mutated(rng, text):
    """The text with some tokens changed and its line breaks kept."""
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(lines))
        way = rng.random()
        if way < 0.1:
            del lines[at]
            lines = lines or [""]
            continue
        if way < 0.2:
            lines.insert(at, rng.choice(lines))
            continue
        indent = lines[at][:len(lines[at]) - len(lines[at].lstrip())]
        tokens = [t for t in tokens_of(lines[at].strip()) if t.strip()]
        if not tokens:
            continue
        i = rng.randrange(len(tokens))
        if way < 0.5 and any(t[:1].isdigit() for t in tokens):
            i = rng.choice([k for k, t in enumerate(tokens) if t[:1].isdigit()])
            tokens[i] = rng.choice(NUMBERS)
        elif way < 0.65:
            del tokens[i]
        elif way < 0.8:
            tokens[i] = rng.choice([t for t in tokens_of(rng.choice(lines).strip()) if t.strip()] or ["x"])
        else:
            k = rng.randrange(len(tokens))
            tokens[i], tokens[k] = tokens[k], tokens[i]
        lines[at] = indent + " ".join(tokens)
    return "\n".join(lines)


def limit_memory():
    """Not under a sanitizer, whose shadow memory needs the whole address space."""
    if not os.environ.get("TILELAB_SANITIZED"):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Session:
    def __init__(self, binary):
        self.kernel = Kernel(binary, before=limit_memory, env={"OPENBLAS_NUM_THREADS": "1"})
        self.client = self.kernel.client
        self.poller = zmq.Poller()
        for channel in ("shell", "iopub"):
            self.poller.register(self.client.sockets[channel], zmq.POLLIN)
        self.client.execute("kept = {'a': [1, 2, 3]}")

    def run(self, code, interrupt_after):
        """The problem of the cell's end, or ""."""
        sent, begun = self.client.start(code, stop_on_error=False, allow_stdin=False), time.monotonic()
        next_interrupt = begun + interrupt_after
        reply, printed, idle, interrupts = None, [], False, []
        while not (reply and idle):
            now = time.monotonic()
            if self.kernel.process.poll() is not None:
                return f"the kernel ended with {self.kernel.process.returncode}"
            if now > begun + interrupt_after + GRACE:
                return "the cell does not end"
            if now > next_interrupt:
                interrupts.append(self.client.send("interrupt_request", channel="control"))
                next_interrupt = now + 1
            ready = dict(self.poller.poll(1000 * min(0.2, max(0.001, next_interrupt - now))))
            for channel in ("shell", "iopub"):
                if self.client.sockets[channel] not in ready:
                    continue
                while (message := self.client.receive(channel, 0)) is not None:
                    if message["parent_header"].get("msg_id") != sent:
                        continue
                    content = message["content"]
                    if message["msg_type"] == "execute_reply":
                        reply = content
                    idle |= content.get("execution_state") == "idle"
                    printed.append(str(content)[:5000])
        for sent in interrupts:  # none is left for the next cell
            self.client.reply_to(sent, "control")
        if reply.get("ename") == "InternalError" or any("a bug in tilelab" in text for text in printed):
            return "a bug in tilelab: " + str([t for t in printed if "bug" in t or "Internal" in t])[-1500:]
        return ""

    def intact(self):
        """The problem of the variable, or ""."""
        run = self.client.execute("print(kept)", stop_on_error=False)
        return "" if "{'a': [1, 2, 3]}" in run.text() else f"instead of the variable: {run.reply} {run.text()!r}"


def shorter(binary, code, after):
    """Lines go while the cell still breaks a new session."""
    lines, end = code.split("\n"), time.monotonic() + 120
    at = 0
    while at < len(lines) and time.monotonic() < end:
        rest = lines[:at] + lines[at + 1:]
        session = Session(binary)
        wrong = session.run("\n".join(rest), after)
        session.kernel.close()
        if wrong:
            lines = rest
        else:
            at += 1
    return "\n".join(lines)


def main():
    binary, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(os.environ.get("TILELAB_SEED") or time.time())
    most = int(sys.argv[4]) if len(sys.argv) > 4 else 1 << 60
    rng, texts, end = random.Random(seed), corpus(), time.monotonic() + seconds
    session, cells, interrupted, findings = Session(binary), 0, 0, 0
    while time.monotonic() < end and cells < most:
        code = "\n".join(rng.choice(LINES) for _ in range(rng.randrange(1, 4))) if rng.random() < 0.4 else (
            mutated(rng, rng.choice(texts)))
        if any(word in code for word in FORBIDDEN):
            continue
        soon = rng.random() < 0.3
        after = rng.choice((0, 0.001, 0.01, 0.1)) * rng.random() if soon else rng.choice(PATIENCE)
        wrong = session.run(code, after)
        cells += 1
        interrupted += soon
        if not wrong and cells % 10 == 0:
            wrong = session.intact()
        if wrong:
            findings += 1
            print(f"FAILED with seed {seed} at cell {cells}, interrupted after {after:.4f} s: {wrong}")
            print(shorter(binary, code, after), flush=True)
            session.kernel.close()
            session = Session(binary)
    session.kernel.close()
    print(f"{cells} cells, {interrupted} of them interrupted at once, {findings} findings; seed {seed}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
