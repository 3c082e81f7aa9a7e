# SPDX-License-Identifier: Apache-2.0
"""torch.cuda and torch.musa without a GPU: one simulated device, whose memory and random numbers are the CPU's. Every name is a separate
function, because torch._dynamo keys torch's functions by identity."""

import time
import types

from . import capability

_NAME = "tilelab simulator"
_MEMORY = 2 << 30


class _Finished:
    """Work that has ended before anything can wait for it."""

    def synchronize(self, other=None):
        pass

    wait = wait_stream = wait_event = synchronize

    def query(self):
        return True


class Event(_Finished):
    """Measures wall-clock time: kernels end before their call returns."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        self.time = None

    def record(self, stream=None):
        self.time = time.perf_counter()

    def elapsed_time(self, other):
        return (other.time - self.time) * 1e3


class Stream(_Finished):
    """A stream without effect: all work is done in order."""

    cuda_stream = musa_stream = 0

    def __init__(self, *args, **kwargs):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def record_event(self, event=None):
        event = event or Event()
        event.record()
        return event


class device(Stream):
    """`with torch.cuda.device(0):`, without effect."""


class device_of(Stream):
    """`with torch.cuda.device_of(tensor):`, without effect."""


def properties(major_minor):
    return types.SimpleNamespace(
        name=_NAME, major=major_minor[0], minor=major_minor[1], multi_processor_count=132, total_memory=_MEMORY,
        shared_memory_per_block=48 << 10, shared_memory_per_block_optin=232448, shared_memory_per_multiprocessor=233472,
        regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, warp_size=32, L2_cache_size=50 << 20, gcnArchName="")


def _answers(torch, of_target):
    """The implementation of each function: (names, function of the call's arguments)."""
    generator = torch.default_generator

    def state(*args):
        return torch.get_rng_state()

    def set_state(new, *args):
        torch.set_rng_state(new)

    def set_states(new):
        for one in new:
            torch.set_rng_state(one)

    return (
        ("synchronize init _lazy_init empty_cache ipc_collect set_device set_stream reset_peak_memory_stats "
         "reset_max_memory_allocated reset_max_memory_cached reset_accumulated_memory_stats "
         "set_per_process_memory_fraction", lambda *args, **kwargs: None),
        ("is_available is_initialized is_bf16_supported", lambda *args, **kwargs: True),
        ("_is_in_bad_fork", lambda: False),
        ("current_stream default_stream stream", lambda *args, **kwargs: Stream()),
        ("current_device", lambda: 0),
        ("device_count", lambda: 1),
        ("memory_allocated max_memory_allocated memory_reserved max_memory_reserved memory_cached "
         "max_memory_cached utilization", lambda *args, **kwargs: 0),
        ("memory_stats", lambda *args, **kwargs: {}),
        ("mem_get_info", lambda *args: (_MEMORY, _MEMORY)),
        ("get_device_name", lambda *args: _NAME),
        ("get_device_capability", lambda *args, **kwargs: of_target()),
        ("get_device_properties", lambda *args, **kwargs: properties(of_target())),
        ("get_arch_list", lambda: ["sm_{}{}".format(*of_target())]),
        ("manual_seed manual_seed_all", lambda seed: generator.manual_seed(int(seed)) and None),
        ("seed seed_all", lambda: generator.seed() and None),
        ("initial_seed", lambda: generator.initial_seed()),
        ("get_rng_state", state),
        ("get_rng_state_all", lambda: [state()]),
        ("set_rng_state", set_state),
        ("set_rng_state_all", set_states),
    )


def _function(name, module, answer):
    def function(*args, **kwargs):
        return answer(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    return function


def names(torch, module):
    """{name: value} of torch.cuda or torch.musa."""
    of_target = capability.musa if module == "torch.musa" else capability.cuda
    out = dict(Event=Event, Stream=Stream, device=device, device_of=device_of)
    for listed, answer in _answers(torch, of_target):
        for name in listed.split():
            out[name] = _function(name, module, answer)
    return out


def quiet(torch):
    """Makes profiler ranges no-ops in programs that run without a GPU."""
    for room, listed in (("profiler", "start stop"), ("nvtx", "range_push range_pop mark")):
        module = getattr(torch.cuda, room, None)
        for name in listed.split() if module else ():
            setattr(module, name, _function(name, f"torch.cuda.{room}", lambda *args, **kwargs: None))
