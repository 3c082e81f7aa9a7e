# SPDX-License-Identifier: Apache-2.0
"""Scripts that ask torch for a GPU run where there is none: `device="cuda"` means the CPU, events
and streams of torch.cuda are stand-ins, and half-precision operators that an old CPU torch lacks
compute in float32. Written for torch 1.13 and later."""

import sys
import time
import types

_NOTE = 'note: no GPU here; tensors for device="cuda" stay on the CPU and kernels are simulated'
CAPABILITY = (8, 0)  # the compute capability that the simulator stands for
_mode = None
_said = False


def _say():
    global _said
    if not _said:
        _said = True
        print(_NOTE, file=sys.stderr)


def _is_gpu(device):
    return not isinstance(device, (int, type(None))) and str(device).partition(":")[0] in ("cuda", "musa")


def _on_cpu(value):
    return "cpu" if _is_gpu(value) and isinstance(value, (str,)) or type(value).__name__ == "device" and _is_gpu(value) else value


def _mode_class(torch):
    from torch.overrides import TorchFunctionMode

    half = torch.float16

    def widened(x):
        if isinstance(x, torch.Tensor) and x.dtype == half:
            return x.float()
        return type(x)(map(widened, x)) if type(x) in (tuple, list) else x

    def narrowed(x):
        if isinstance(x, torch.Tensor) and x.dtype == torch.float32:
            return x.to(half)
        return type(x)(map(narrowed, x)) if type(x) in (tuple, list) else x

    class Redirect(TorchFunctionMode):
        def __torch_function__(self, func, kinds, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if _is_gpu(kwargs.get("device")):
                _say()
                kwargs["device"] = "cpu"
            name = getattr(func, "__name__", "")
            if name in ("cuda", "musa"):
                _say()
                return args[0]
            if name == "to" and any(map(_is_gpu, args[1:2])):
                _say()
                args = (args[0], "cpu", *args[2:])
            if name in ("relu", "relu_") and isinstance(args[0] if args else None, torch.Tensor) \
                    and args[0].dtype == half and args[0].requires_grad and name == "relu":
                return relu.apply(args[0])
            try:
                return func(*args, **kwargs)
            except RuntimeError as error:
                if "not implemented for 'Half'" not in str(error):
                    raise
            made = narrowed(func(*widened(tuple(args)), **{k: widened(v) for k, v in kwargs.items()}))
            if name.endswith("_") and not name.endswith("__") and isinstance(args[0], torch.Tensor):
                args[0].data.copy_(made)
                return args[0]
            return made

    class relu(torch.autograd.Function):
        """Its backward pass is missing for half precision as well."""

        @staticmethod
        def forward(ctx, x):
            y = torch.where(x > 0, x, torch.zeros_like(x))
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, gradient):
            (y,) = ctx.saved_tensors
            return torch.where(y > 0, gradient, torch.zeros_like(gradient))

    return Redirect


class _Event:
    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self.time = None

    def record(self, stream=None):
        self.time = time.perf_counter()

    def synchronize(self):
        pass

    wait = synchronize

    def query(self):
        return True

    def elapsed_time(self, other):
        return (other.time - self.time) * 1e3


class _Stream:
    cuda_stream = 0

    def __init__(self, *args, **kwargs):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def _nothing(self, *args):
        pass

    synchronize = wait_stream = wait_event = record_event = _nothing


def device_properties(device=None):
    """Of the simulated GPU, as torch.cuda.get_device_properties names them."""
    return types.SimpleNamespace(name="tilelab simulator", major=CAPABILITY[0], minor=CAPABILITY[1], multi_processor_count=132,
                                 total_memory=2 << 30, shared_memory_per_block_optin=232448, warp_size=32,
                                 L2_cache_size=50 << 20)


def _stand_ins(torch):
    def nothing(*args, **kwargs):
        return None

    stream = lambda *args, **kwargs: _Stream()  # noqa: E731
    return dict(
        is_available=lambda: True, synchronize=nothing, Event=_Event, Stream=_Stream, current_stream=stream,
        default_stream=stream, stream=stream, device=stream, current_device=lambda: 0, set_device=nothing,
        device_count=lambda: 1, init=nothing, _lazy_init=nothing, empty_cache=nothing, manual_seed=nothing,
        manual_seed_all=nothing, get_device_capability=lambda *a: CAPABILITY,
        get_device_name=lambda *a: "tilelab simulator", get_device_properties=device_properties,
        mem_get_info=lambda *a: (2 << 30, 2 << 30), memory_allocated=lambda *a: 0,
        max_memory_allocated=lambda *a: 0, reset_peak_memory_stats=nothing)


def _apply(torch):
    global _mode
    if _mode is not None or torch.cuda.is_available():
        return
    _mode = _mode_class(torch)()
    _mode.__enter__()
    for name, value in _stand_ins(torch).items():
        setattr(torch.cuda, name, value)


class _Finder:
    """Waits for the first `import torch`."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        import importlib.util

        spec = importlib.util.find_spec("torch")
        if spec is None or spec.loader is None:
            return spec
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            _apply(module)

        spec.loader.exec_module = exec_module
        return spec


def install():
    """Redirects torch, now or when it is imported. Does nothing where there is a GPU."""
    if "torch" in sys.modules:
        _apply(sys.modules["torch"])
    elif not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
