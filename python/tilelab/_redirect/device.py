# SPDX-License-Identifier: Apache-2.0
"""torch.cuda, torch.musa and torch.accelerator without a GPU: one simulated device, whose memory and random numbers are the CPU's. Every
name is a separate function, because torch._dynamo keys torch's functions by identity."""

import sys
import time
import types

from . import capability

_NAME = "tilelab simulator"
_MEMORY = 2 << 30
_musa = types.ModuleType("torch.musa", "One simulated device of Moore Threads.")


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


class device_index(Stream):
    """`with torch.accelerator.device_index(0):`, without effect."""


def properties(major_minor):
    return types.SimpleNamespace(
        name=_NAME, major=major_minor[0], minor=major_minor[1], multi_processor_count=132, total_memory=_MEMORY,
        shared_memory_per_block=48 << 10, shared_memory_per_block_optin=232448, shared_memory_per_multiprocessor=233472,
        regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, warp_size=32, L2_cache_size=50 << 20, gcnArchName="")


def _queries(torch, of_target):
    """(names, function of the call's arguments) of the functions by which a program finds out what torch can do."""
    return (
        ("is_available is_initialized is_bf16_supported is_tf32_supported", lambda *args, **kwargs: True),
        ("is_current_stream_capturing", lambda: False),
        ("current_accelerator", lambda *args, **kwargs: torch.device("cuda")),
        ("current_device current_device_index current_device_idx", lambda: 0),
        ("device_count", lambda: 1),
        ("get_device_name", lambda *args: _NAME),
        ("get_device_capability", lambda *args, **kwargs: of_target()),
        ("get_device_properties", lambda *args, **kwargs: properties(of_target())),
        ("get_arch_list", lambda: ["sm_{}{}".format(*of_target())]),
    )


def _actions(torch):
    """(names, function of the call's arguments) of the other functions."""
    generator = torch.default_generator

    def state(*args):
        return torch.get_rng_state()

    def set_state(new, *args):
        torch.set_rng_state(new)

    def set_states(new):
        for one in new:
            torch.set_rng_state(one)

    return (
        ("synchronize init _lazy_init empty_cache empty_host_cache ipc_collect set_device set_device_index set_device_idx set_stream "
         "reset_peak_memory_stats reset_max_memory_allocated reset_max_memory_cached reset_accumulated_memory_stats "
         "set_per_process_memory_fraction", lambda *args, **kwargs: None),
        ("_is_in_bad_fork", lambda: False),
        ("current_stream default_stream stream", lambda *args, **kwargs: Stream()),
        ("memory_allocated max_memory_allocated memory_reserved max_memory_reserved memory_cached "
         "max_memory_cached utilization", lambda *args, **kwargs: 0),
        ("memory_stats", lambda *args, **kwargs: {}),
        ("memory_summary list_gpu_processes", lambda *args, **kwargs: ""),
        ("mem_get_info get_memory_info", lambda *args: (_MEMORY, _MEMORY)),
        ("manual_seed manual_seed_all", lambda seed: generator.manual_seed(int(seed)) and None),
        ("seed seed_all", lambda: generator.seed() and None),
        ("initial_seed", lambda: generator.initial_seed()),
        ("get_rng_state", state),
        ("get_rng_state_all", lambda: [state()]),
        ("set_rng_state", set_state),
        ("set_rng_state_all", set_states),
    )


def _function(name, module, answer, of_torch=None):
    """A function named `name`. `of_torch` replaces it for torch's own modules, which must not take the code paths of a GPU."""
    def function(*args, **kwargs):
        if of_torch and sys._getframe(1).f_globals.get("__name__", "").partition(".")[0] == "torch":
            return of_torch(*args, **kwargs)
        return answer(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function._dynamo_marked_constant = of_torch is not None  # torch.compile calls it instead of tracing it
    return function


def _names(torch, module):
    """{name: value} of torch.cuda, torch.musa or torch.accelerator."""
    of_target = capability.musa if module == "torch.musa" else capability.cuda
    real = torch.accelerator if module == "torch.accelerator" else torch.cuda
    out = {kind.__name__: kind for kind in (Event, Stream, device, device_of, device_index)}
    for listed, answer in _actions(torch):
        out.update((name, _function(name, module, answer)) for name in listed.split())
    for listed, answer in _queries(torch, of_target):
        out.update((name, _function(name, module, answer, getattr(real, name, None))) for name in listed.split())
    return {name: value for name, value in out.items() if hasattr(real, name)}


def _mudnn():
    """torch_musa's switches of its library of operators, which has no part in what runs here."""
    return types.SimpleNamespace(enabled=True, benchmark=False, deterministic=False, allow_tf32=False, is_available=lambda: True, version=lambda: None)


def _to_musa(self, *args, **kwargs):
    """The same as cuda(): the tensor or module itself."""
    return self.cuda()


def replace(torch, replacements):
    """Puts the simulated device in place of torch's until replacements.undo()."""
    modules = [torch.cuda]
    if hasattr(torch, "accelerator"):
        modules.append(torch.accelerator)
    if getattr(torch, "musa", _musa) is _musa:  # torch_musa is not installed
        vars(_musa).update((name, getattr(torch.cuda, name)) for name in _names(torch, "torch.musa"))
        modules.append(_musa)
        replacements.at_undo(lambda: _without_musa(torch))
        replacements.put(torch, "musa", _musa)
        replacements.put(torch.backends, "mudnn", _mudnn())
        for kind in (torch.Tensor, torch.nn.Module):
            replacements.put(kind, "musa", _to_musa)
        sys.modules["torch.musa"] = _musa
        torch.Tensor.is_musa = property(lambda self: False)  # it stays: torch needs it after name_musa()
    for module, names in [(module, _names(torch, module.__name__)) for module in modules]:
        for name, value in names.items():
            replacements.put(module, name, value)
    for room, listed in (("profiler", "start stop"), ("nvtx", "range_push range_pop range_start range_end mark")):
        module = getattr(torch.cuda, room, None)
        for name in listed.split() if module else ():  # ranges are marked only on a GPU
            replacements.put(module, name, _function(name, f"torch.cuda.{room}", lambda *args, **kwargs: None))


def _without_musa(torch):
    for name in ("torch.musa", "torch_musa"):
        sys.modules.pop(name, None)
    if getattr(torch._C, "_get_privateuse1_backend_name", str)() == "musa":
        torch.musa = sys.modules["torch.musa"] = _musa  # torch asks it for devices: there are none


def name_musa(torch):
    """Makes torch.device("musa") a device, as `import torch_musa` does. This cannot be undone."""
    rename = getattr(torch.utils, "rename_privateuse1_backend", None)
    if rename and torch._C._get_privateuse1_backend_name() != "musa":
        rename("musa")
