# SPDX-License-Identifier: Apache-2.0
"""Times calls on a GPU by events in its stream."""

from .. import _core
from . import devices

FLUSH = 256 << 20  # bytes: more than the L2 cache of any chip
ESTIMATE = 5       # calls that estimate how many fit into the time


def times(fn, gpu, warmup, rep, n_warmup, n_repeat):
    """Milliseconds of single calls. Each timed call starts with a flushed L2 cache. `fn` has run once."""
    stream = devices.stream(gpu)
    flush = _core.gpu.memory(*gpu, FLUSH)

    def timed(count):
        events = [_core.gpu.timer(*gpu, stream) for _ in range(count)]
        for event in events:  # driver calls in between take less time than the flush
            flush.fill(0, stream)
            event.start()
            fn()
            event.stop()
        _core.gpu.synchronize(*gpu, stream)
        return [event.milliseconds() for event in events]

    one = max(sum(timed(ESTIMATE)) / ESTIMATE, 1e-4)
    for _ in range(n_warmup or max(1, int(warmup / one))):
        fn()
    return timed(n_repeat or max(1, int(rep / one)))
