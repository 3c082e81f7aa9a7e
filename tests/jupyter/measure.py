# SPDX-License-Identifier: Apache-2.0
"""Times of a kernel, in ms: measure.py KERNEL EMPTY_CELL SLEEPING_CELL [repeats]. SLEEPING_CELL
prints something and then works on. The client is made of plain sockets that reconnect every 2 ms;
requests are signed before the clock starts and answers read after it stops, so that it adds little
of its own."""

import statistics
import sys
import time

import zmq

from harness import Kernel


def milliseconds(begun):
    return (time.perf_counter() - begun) * 1000


def report(name, values):
    values = sorted(values)
    print(f"{name:34} median {statistics.median(values):8.2f}   p90 {values[int(len(values) * 0.9)]:8.2f}"
          f"   n {len(values)}")


def start_times(binary, code, repeats):
    infos, cells = [], []
    for _ in range(repeats):
        kernel = Kernel(binary, start=False)
        begun = time.perf_counter()
        kernel.spawn()
        kernel.client.reply_to(kernel.client.send("kernel_info_request"))
        infos.append(milliseconds(begun))
        kernel.client.reply_to(kernel.client.start(code))
        cells.append(milliseconds(begun))
        kernel.close()
    report("start to kernel_info_reply", infos)
    report("start to the first cell's reply", cells)


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


def main():
    binary, empty, sleeping = sys.argv[1:4]
    repeats = int(sys.argv[4]) if len(sys.argv) > 4 else 10
    start_times(binary, empty, repeats)
    with Kernel(binary) as kernel:
        client = kernel.client
        for name, kind, content in (("empty cell, reply and idle", "execute_request", {"code": empty}),
                              ("completion", "complete_request", {"code": "pri", "cursor_pos": 3})):
            report(name, [round_trip(client, kind, content) for _ in range(20 * repeats)])
        times = []
        for _ in range(repeats):
            msg_id = client.start(sleeping)
            client.wait_for("iopub", "stream")
            begun = time.perf_counter()
            client.send("interrupt_request", channel="control")
            client.reply_to(msg_id)
            times.append(milliseconds(begun))
        report("interrupt to the cell's reply", times)
        with open(f"/proc/{kernel.process.pid}/status") as f:
            resident = next(line for line in f if line.startswith("VmRSS"))
        print(f"{'resident memory':34} {int(resident.split()[1]) / 1024:.1f} MiB")


if __name__ == "__main__":
    main()
