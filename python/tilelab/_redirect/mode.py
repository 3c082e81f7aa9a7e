# SPDX-License-Identifier: Apache-2.0
"""The TorchFunctionMode that moves requests for a GPU to the CPU, and computes in float32 what an old CPU torch lacks in half precision."""


def is_gpu(device):
    return not isinstance(device, (int, type(None))) and str(device).partition(":")[0] in ("cuda", "musa")


def _relu(torch):
    class relu(torch.autograd.Function):
        """Half precision lacks its backward pass as well."""

        @staticmethod
        def forward(ctx, x):
            y = torch.where(x > 0, x, torch.zeros_like(x))
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, gradient):
            (y,) = ctx.saved_tensors
            return torch.where(y > 0, gradient, torch.zeros_like(gradient))

    return relu


def make(torch, say):
    """The mode; it calls `say` when a program requests a GPU."""
    from torch.overrides import TorchFunctionMode

    half = torch.float16
    is_cuda = torch.Tensor.is_cuda.__get__
    relu = _relu(torch)

    def cast(x, old, new):
        if isinstance(x, torch.Tensor) and x.dtype == old:
            return x.to(new)
        return type(x)(cast(one, old, new) for one in x) if type(x) in (tuple, list) else x

    def in_float32(func, name, args, kwargs):
        wide = {k: cast(v, half, torch.float32) for k, v in kwargs.items()}
        made = cast(func(*cast(tuple(args), half, torch.float32), **wide), torch.float32, half)
        if name.endswith("_") and not name.endswith("__") and isinstance(args[0], torch.Tensor):
            args[0].data.copy_(made)
            return args[0]
        return made

    class Redirect(TorchFunctionMode):
        def __torch_function__(self, func, kinds, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if func == is_cuda:  # every tensor is where the kernels run
                return True
            if is_gpu(kwargs.get("device")):
                say()
                kwargs["device"] = "cpu"
            kwargs.pop("pin_memory", None)
            name = getattr(func, "__name__", "")
            if name in ("cuda", "pin_memory"):
                if name == "cuda":
                    say()
                return args[0]
            if name == "to" and any(map(is_gpu, args[1:2])):
                say()
                args = (args[0], "cpu", *args[2:])
            first = args[0] if args else None
            if name == "relu" and isinstance(first, torch.Tensor) and first.dtype == half and first.requires_grad:
                return relu.apply(first)
            try:
                return func(*args, **kwargs)
            except RuntimeError as error:
                if "not implemented for 'Half'" not in str(error):
                    raise
            return in_float32(func, name, args, kwargs)

    return Redirect()
