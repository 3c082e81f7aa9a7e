# SPDX-License-Identifier: Apache-2.0
"""Times of a notebook kernel, in ms: notebook.py REPEATS WHAT COMMAND... ({file}: the connection file).

WHAT is start, cells, views or interrupts. The client is made of plain sockets that reconnect every 2 ms; requests are signed
before the clock starts and answers are read after it stops, so that it adds little overhead. Prints one line of JSON.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "jupyter"))

try:
    import zmq
except ImportError as missing:
    raise SystemExit(f"Missing: apt-get install python3-jupyter-client ({missing.name})")

import harness  # noqa: E402

CELL = "1 + 1"
ENDLESS_KERNEL = """
import numpy as np
import tilelang
import tilelang.language as T

@tilelang.jit
def endless(x):
    x: T.Tensor((32,), "int32")
    with T.Kernel(1, threads=32):
        v = T.alloc_var("int32")
        v = 0
        while v != 1:
            v = v + 2  # never 1, and each value is new
        for i in T.Parallel(32):
            x[i] = v

x = np.zeros(32, "int32")
"""
GEMM = """
import tilelang
import tilelang.language as T

@tilelang.jit(out_idx=[-1])
def gemm(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 128), threads=256) as (bx, by):
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((32, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 128, k * 32], a)
                T.copy(B[k * 32, bx * 128], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 128, bx * 128])
    return main

k = gemm(1024, 1024, 1024)
"""
VIEWS = ["%passes k", "%ir k", "%ir k --level flat", "%diff k", "%layout k.a", "%layout k.c", "%source k", "%source k --target sm_90a",
         "%map k", "%map k 16", "%explain k", "%explain k 16", "%explain race", "%kernels", "%who", "%target", "%device", "%help"]
LONG = "".join(f"value_{n} = [{n}, 'text', (1, 2)]\n" for n in range(610)) + "os.pa"  # 20,000 characters
LOOPS = {
    "python": "print('on', flush=True)\nwhile True: pass",
    "call": "import time; print('on', flush=True); time.sleep(60)",
    "input": "print('on', flush=True); input('? ')",
    "simulator": "print('on', flush=True); endless(x)",
}


def milliseconds(begun):
    return (time.perf_counter() - begun) * 1000


class Process(harness.Kernel):
    """Any kernel, by its command."""

    def __init__(self, command, start=True):
        self.command = command
        super().__init__("", start=start)

    def spawn(self):
        self.output = open(os.path.join(self.dir.name, "output"), "w+b")
        argv = [word.replace("{file}", self.file) for word in self.command]
        env = {**self.env, "IPYTHONDIR": self.dir.name, "JUPYTER_RUNTIME_DIR": self.dir.name,
               "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        self.process = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=self.output,
                                        stderr=self.output, start_new_session=True)
        self.client = self.new_client()


def start_times(command, repeats):
    out = {"info": [], "cell": []}
    for _ in range(repeats):
        kernel = Process(command, start=False)
        begun = time.perf_counter()
        kernel.spawn()
        kernel.client.reply_to(kernel.client.send("kernel_info_request"))
        out["info"].append(milliseconds(begun))
        reply = kernel.client.reply_to(kernel.client.start(CELL))
        assert reply["content"]["status"] == "ok", reply
        out["cell"].append(milliseconds(begun))
        kernel.close()
    return out


def round_trip(client, msg_type, content):
    """From a request's bytes to those of its reply and its idle status."""
    frames = client.session.serialize(client.session.msg(msg_type, content))
    shell, iopub = client.sockets["shell"], client.sockets["iopub"]
    poller = zmq.Poller()
    for s in (shell, iopub):
        poller.register(s, zmq.POLLIN)
    begun, replied, idle = time.perf_counter(), False, False
    shell.send_multipart(frames)
    while not (replied and idle):
        for s, _ in poller.poll():
            received = s.recv_multipart()
            replied = replied or s is shell
            idle = idle or (s is iopub and b'"idle"' in received[-1])
    return milliseconds(begun)


def resident(pid):
    with open(f"/proc/{pid}/status") as f:
        line = next(line for line in f if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def cell_times(command, repeats):
    with Process(command) as kernel:
        time.sleep(0.3)
        out = {"idle": resident(kernel.process.pid)}
        kernel.client.execute("a = 1\nimport os\n")
        for name, kind, content in (("empty", "execute_request", {"code": ""}),
                                    ("complete", "complete_request", {"code": "os.pa", "cursor_pos": 5})):
            round_trip(kernel.client, kind, content)
            out[name] = [round_trip(kernel.client, kind, content) for _ in range(repeats)]
        content = {"code": LONG, "cursor_pos": len(LONG)}
        found = kernel.client.request("complete_request", content)["matches"]
        assert any("path" in name for name in found), found
        out["complete_long"] = [round_trip(kernel.client, "complete_request", content) for _ in range(max(2, repeats // 30))]
    return out


def view_times(command, repeats):
    """Times of commands on a compiled kernel, after a first run has compiled what they need."""
    out = {}
    with Process(command) as kernel:
        assert kernel.client.execute(GEMM).reply["status"] == "ok", kernel.printed()
        for view in VIEWS:
            run = kernel.client.execute(view)
            assert run.reply["status"] == "ok", (view, run.reply)
            request = {"code": view, "silent": False, "store_history": True}
            out[view] = [round_trip(kernel.client, "execute_request", request) for _ in range(repeats)]
    return out


def one_interrupt(kernel, name, code):
    client = kernel.client
    msg_id = client.start(code)
    client.wait_for("iopub", "stream")
    if name == "input":
        client.wait_for("stdin", "input_request")
    time.sleep(0.05)  # now it is deep inside
    begun = time.perf_counter()
    kernel.interrupt()
    reply = client.reply_to(msg_id)
    took = milliseconds(begun)
    assert reply["content"]["ename"] == "KeyboardInterrupt", reply["content"]
    client.outputs_of(msg_id)
    return took


def interrupt_times(command, repeats, ours):
    """A peer that an interrupt does not end has no times for that code."""
    out = {}
    for name, code in LOOPS.items():
        if name == "simulator" and not ours:
            continue
        with Process(command) as kernel:
            if ours:
                assert kernel.client.execute(ENDLESS_KERNEL).reply["status"] == "ok", kernel.printed()
            try:
                out[name] = [one_interrupt(kernel, name, code) for _ in range(repeats)]
            except AssertionError:
                if ours:
                    raise
    return out


def main():
    repeats, what, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    ours = "tilelab" in os.path.basename(command[0])
    if what == "start":
        out = start_times(command, repeats)
    elif what == "cells":
        out = cell_times(command, repeats)
    elif what == "views":
        out = view_times(command, repeats)
    else:
        out = interrupt_times(command, repeats, ours)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
