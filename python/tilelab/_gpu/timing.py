# SPDX-License-Identifier: Apache-2.0
"""Times calls on a GPU, by one of three backends, as in TileLang. Each timed call starts with a flushed L2 cache."""

from .. import _core
from . import devices

ESTIMATE = 5  # calls that estimate how many fit into the time
REPLAYS = 10  # of a graph


def times(fn, gpu, warmup, rep, n_warmup, n_repeat, backend="event", flush_mb=256, early_stop=None):
    """Milliseconds of single calls. `fn` has run once. `early_stop`: a longer estimate is the only result."""
    stream = devices.stream(gpu)
    flush = _core.gpu.memory(*gpu, flush_mb << 20)

    def empty_cache():
        flush.fill(0, stream)

    one = max(sum(_by_events(fn, gpu, stream, empty_cache, ESTIMATE)) / ESTIMATE, 1e-4)
    if early_stop is not None and one > early_stop:
        return [one]
    for _ in range(n_warmup or max(1, int(warmup / one))):
        fn()
    return BACKENDS[backend](fn, gpu, stream, empty_cache, n_repeat or max(1, int(rep / one)))


def _by_events(fn, gpu, stream, empty_cache, count):
    """The time between two events around each call, which contains gaps between its kernels."""
    events = [_core.gpu.timer(*gpu, stream) for _ in range(count)]
    for event in events:  # driver calls in between take less time than the flush
        empty_cache()
        event.start()
        fn()
        event.stop()
    _core.gpu.synchronize(*gpu, stream)
    return [event.milliseconds() for event in events]


def _by_cupti(fn, gpu, stream, empty_cache, count):
    """The device time of the kernels of each call, from CUPTI by torch's profiler: without launches and gaps."""
    profiler = _torch("cupti").profiler
    with profiler.profile(activities=[profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(count):
            empty_cache()
            fn()
        _core.gpu.synchronize(*gpu, stream)
    found = sorted((e.time_range.start, e.device_time / 1e3) for e in profile.events() if "CUDA" in str(e.device_type))
    calls = [[took for _, took in found[i::len(found) // count]] for i in range(len(found) // count)]
    if not calls or len(found) % count:  # calls differ
        raise RuntimeError(f"CUPTI recorded {len(found)} activities of {count} equal calls; backend=\"event\" times calls that differ")
    return [sum(one) for one in zip(*calls[1:])]  # the first activity of each is the flush


def _by_graph(fn, gpu, stream, empty_cache, count):
    """Replays a graph of `count` calls, so that the host adds no time; only the first call of a replay has an empty cache."""
    torch = _torch("cudagraph")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            fn()
    return [took / count for took in _by_events(graph.replay, gpu, stream, empty_cache, REPLAYS)]


def _torch(backend):
    try:
        import torch
    except ImportError:
        raise ImportError(f'backend="{backend}" measures with PyTorch, which is not installed; backend="event" needs nothing') from None
    return torch


BACKENDS = {"event": _by_events, "cupti": _by_cupti, "cudagraph": _by_graph}
