# SPDX-License-Identifier: Apache-2.0
"""How long calls take on a GPU, by events in its stream."""

from .. import _core
from . import devices

FLUSH = 256 << 20  # bytes: more than the L2 cache of any chip
ESTIMATE = 5       # calls that tell how many fit


def times(fn, gpu, warmup, rep, n_warmup, n_repeat):
    """Milliseconds of single calls. What ran before is still in the L2 cache; it is written over before
    each call that counts. `fn` has run once."""
    stream = devices.stream(gpu)
    flush = _core.gpu.Memory(*gpu, FLUSH)

    def timed(count):
        events = []
        for _ in range(count):
            flush.fill(0, stream)
            events.append(_core.gpu.start_timer(*gpu, stream))
            fn()
            events[-1].stop()
        _core.gpu.synchronize(*gpu, stream)
        return [event.milliseconds() for event in events]

    one = max(sum(timed(ESTIMATE)) / ESTIMATE, 1e-4)
    for _ in range(n_warmup or max(1, int(warmup / one))):
        fn()
    return timed(n_repeat or max(1, int(rep / one)))
