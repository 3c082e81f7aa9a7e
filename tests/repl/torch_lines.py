# SPDX-License-Identifier: Apache-2.0
"""torch_lines.py [IMPORT...]: everyday PyTorch after the imports, one outcome a line. A machine without a GPU gives the same outcomes in
plain Python, in a session, and in a session with the simulated GPU; only the first line names the device."""

import importlib
import os
import sys
import tempfile
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

for module in sys.argv[1:]:
    importlib.import_module(module)
import torch
import torch.multiprocessing
import torch.utils.checkpoint

warnings.simplefilter("ignore")
device = "cuda" if torch.cuda.is_available() else "cpu"
print("device", device)


def line(function):
    try:
        print(function.__name__, function(), flush=True)
    except BaseException as error:
        print(function.__name__, "fails:", type(error).__name__, str(error).strip().partition("\n")[0][:100], flush=True)


def compiled(backend):
    return torch.compile(lambda x: x + 1, backend=backend, fullgraph=True)(torch.ones(3)).tolist()


@line
def compile_eager():
    return compiled("eager")


@line
def compile_aot_eager():
    return compiled("aot_eager")


@line
def compile_inductor():
    return compiled("inductor")


@line
def compiled_requests():
    function = torch.compile(lambda x: (x.to(device) + torch.ones(3, device=device)).to(device, torch.float64), backend="aot_eager",
                             fullgraph=True)
    return function(torch.ones(3)).tolist()


@line
def compiled_training():
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1)).to(device)
    step, optimizer = torch.compile(model, backend="aot_eager"), torch.optim.AdamW(model.parameters())
    for _ in range(2):
        step(torch.randn(3, 4, device=device)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return "done"


@line
def load():
    model = torch.nn.Linear(2, 2).to(device)
    with tempfile.NamedTemporaryFile() as file:
        torch.save(model.state_dict(), file.name)
        places = (device, torch.device(device), {"cpu": device}, lambda storage, location: storage, None)
        return [sorted(torch.load(file.name, map_location=place)) for place in places]


@line
def default_device():
    torch.set_default_device(device)
    try:
        return torch.randn(3).shape, torch.tensor([1.0]).tolist(), torch.nn.Linear(2, 2)(torch.ones(2)).shape
    finally:
        torch.set_default_device(None)


@line
def with_device():
    with torch.device(device):
        return torch.arange(3).tolist(), torch.nn.Linear(2, 2).weight.shape


@line
def data_loader():
    data = torch.utils.data.TensorDataset(torch.arange(8.0))
    loader = torch.utils.data.DataLoader(data, batch_size=4, num_workers=2, pin_memory=True)
    return [batch[0].to(device, non_blocking=True).tolist() for batch in loader]


@line
def flex_attention():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    q = torch.randn(1, 2, 32, 16, device=device)
    mask = create_block_mask(lambda batch, head, row, column: row >= column, None, None, 32, 32, device=device)
    return flex_attention(q, q, q, block_mask=mask).shape


@line
def profiler():
    from torch.profiler import ProfilerActivity, profile

    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * torch.cuda.is_available()
    with profile(activities=activities) as profiled:
        torch.ones(3, device=device) * 2 + 1
    return any(row.key == "aten::mul" for row in profiled.key_averages())


@line
def accelerator():
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()
        torch.accelerator.set_device_index(torch.accelerator.current_device_index())
        with torch.accelerator.device_index(0):
            torch.accelerator.current_stream().synchronize()
        assert torch.accelerator.device_count() == 1 and torch.accelerator.memory_allocated() == 0
    return torch.ones(2, device=torch.accelerator.current_accelerator(check_available=True)).tolist()


@line
def mixed_precision():
    model = torch.nn.Linear(4, 4).to(device)
    optimizer, scaler = torch.optim.SGD(model.parameters(), lr=0.1), torch.amp.GradScaler(device)
    with torch.autocast(device, dtype=torch.bfloat16):
        y = model(torch.ones(2, 4, device=device))
    scaler.scale(y.float().sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    return y.dtype, scaler.is_enabled()


@line
def checkpoint():
    def gradient(**options):
        x = torch.ones(3, device=device, requires_grad=True)
        torch.utils.checkpoint.checkpoint(lambda x: x * 2, x, **options).sum().backward()
        return x.grad.tolist()

    return gradient(use_reentrant=True), gradient(use_reentrant=False)


@line
def hooks():
    x = torch.ones(3, device=device, requires_grad=True)
    x.register_hook(lambda gradient: gradient * torch.full((3,), 2.0, device=device))
    (x * 2).sum().backward()
    return x.grad.tolist()


@line
def random_numbers():
    with torch.random.fork_rng():
        torch.randn(3)
    generator = torch.Generator(device=device).manual_seed(1)
    torch.cuda.manual_seed_all(3)
    return torch.randn(2, generator=generator, device=device).shape, torch.seed() == torch.initial_seed()


@line
def threads():
    found = []
    thread = threading.Thread(target=lambda: found.append(torch.ones(2, device=device).tolist()))
    thread.start()
    thread.join()
    with ThreadPoolExecutor(2) as pool:
        return found, list(pool.map(lambda n: torch.full((1,), n, device=device).tolist(), range(3)))


@line
def processes():
    with torch.multiprocessing.get_context("fork").Pool(2) as pool:
        return pool.map(abs, [-1, 2])


@line
def spellings():
    x = torch.ones(2)
    return (x.to(device=device).tolist(), x.to(torch.device(device), torch.float64).dtype, x.new_zeros(2, device=device).tolist(),
            torch.as_tensor([1], device=device).tolist(), torch.nn.Linear(2, 2, device=device).weight.shape)


@line
def same_device():
    x = torch.ones(2, device=device)
    return x.is_cuda == (x.device.type == "cuda"), torch.zeros_like(x, device=x.device).tolist()


@line
def fake_tensors():
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        return torch.ones(2, device="cuda").device.type


@line
def transforms():
    return torch.func.vmap(lambda x: x + torch.ones(2, device=device))(torch.ones(3, 2)).shape, \
        torch.nn.DataParallel(torch.nn.Linear(2, 2))(torch.ones(1, 2)).shape


@line
def export():
    return type(torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))).__name__


sys.stdout.flush()
os._exit(0)  # without the seconds that inductor's workers take
