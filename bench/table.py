# SPDX-License-Identifier: Apache-2.0
"""The table of budgets. Limits are those of the design's section on budgets; rows of parts that are not built yet are
added with the part."""

import build
import compiler
import frontends
import package
import simulator
from measure import Row

START = "wall clock from fork; median"
TRIP = "bytes sent to reply and idle status received; median"
STOP = "SIGINT to the reply of the cell; median"
RUN = "wall clock of one call; min"
CHECK = "three levels, wall clock of a second run; min"
CPU = "source to C, all passes, CPU time; min"
COLD = "2 cores, no ccache, configuring included; once"

ROWS = [
    Row("prompt", "shell: start to prompt", START, "ms", "at most", 60, frontends.prompt, "IPython"),
    Row("kernel-info", "kernel: start to kernel_info reply", START, "ms", "at most", 40, frontends.kernel_info,
        "ipykernel, xeus-python"),
    Row("first-cell", "kernel: start to first result", START, "ms", "at most", 100, frontends.first_cell,
        "ipykernel, xeus-python"),
    Row("empty-cell", "empty cell, round trip", TRIP, "ms", "at most", 0.5, frontends.empty_cell, "ipykernel, xeus-python"),
    Row("completion", "completion, warm", TRIP, "ms", "at most", 8, frontends.completion, "ipykernel, xeus-python"),
    Row("completion-long", "completion after 20,000 characters", TRIP, "ms", "at most", 20, frontends.long_completion,
        "ipykernel, xeus-python"),
    Row("views", "the slowest view of a GEMM", "of 18 commands, text and HTML; " + TRIP, "ms", "at most", 100, frontends.views("%")),
    Row("layout", "%layout of tiles of 128x128", TRIP, "ms", "at most", 100, frontends.views("%layout")),
    Row("idle-memory", "kernel: resident memory, idle", "VmRSS", "MiB", "at most", 30, frontends.idle_memory,
        "ipykernel, xeus-python"),
    Row("interrupt-python", "interrupt of a Python loop", STOP, "ms", "at most", 5, frontends.interrupt("python"),
        "ipykernel, xeus-python"),
    Row("interrupt-simulator", "interrupt of an endless kernel", STOP, "ms", "at most", 5, frontends.interrupt("simulator")),
    Row("interrupt-input", "interrupt of input()", STOP, "ms", "at most", 5, frontends.interrupt("input"),
        "ipykernel, xeus-python"),
    Row("interrupt-call", "interrupt inside time.sleep", STOP, "ms", "at most", 100, frontends.interrupt("call"),
        "ipykernel, xeus-python"),
    Row("import-time", "import tilelab and its compiler", "over a bare python3, wall clock; min", "ms", "at most", 60,
        package.import_time, "triton"),
    Row("import-memory", "the same, memory", "VmHWM", "MiB", "at most", 45, package.import_memory, "triton"),
    Row("specialisation-memory", "memory that a specialisation keeps", "VmRSS", "KiB", "at most", 32, package.specialisation_memory),
    Row("gemm-to-musa", "GEMM source to MUSA C", "def to text, all passes; median", "ms", "at most", 10,
        compiler.source_to_c),
    Row("gemm-passes", "passes of the GEMM for sm_90a", "all passes; median", "ms", "at most", 4, compiler.passes_of("GEMM")),
    Row("attention-passes", "passes of its attention", "all passes, causal or not; median", "ms", "at most", 15,
        compiler.passes_of("attention", "causal attention")),
    Row("large-statements", "compiling 10^4 statements", CPU, "ms", "at most", 600,
        compiler.compile_time(("stores", 10000), ("assignments", 10000), ("tile_ops", 10000))),
    Row("large-buffers", "compiling 1000 buffers", CPU, "ms", "at most", 200,
        compiler.compile_time(("fragments", 1000), ("shared", 1000), ("locals", 1000))),
    Row("large-nesting", "compiling loops 24 deep", CPU, "ms", "at most", 50,
        compiler.compile_time(("nesting", 24), ("run_time_nesting", 24), ("tile_nesting", 24))),
    *(Row(f"growth-{kind.replace('_', '-')}", f"growth: {kind.replace('_', ' ')}, {size} to {2 * size}", CPU, "x", "at most",
          2.5, compiler.growth(kind, size)) for kind, size in (
        ("stores", 2000), ("lets", 1000), ("assignments", 2000), ("tile_ops", 1000), ("parallels", 200),
        ("in_parallel", 200), ("fragments", 250), ("shared", 250), ("locals", 500), ("tile_nesting", 12),
        ("if_nesting", 20), ("loops", 500), ("pipelined", 50), ("branches", 1000), ("elifs", 100), ("macros", 500),
        ("expression", 500), ("chain", 150), ("index_chain", 100), ("selects", 20))),
    Row("around-passes", "checks beside the passes", CPU, "x", "at most", 0.25, compiler.around_passes(
        ("stores", 1000), ("lets", 500), ("tile_ops", 500), ("parallels", 100), ("rotated", 40), ("pipelined", 25), ("loops", 250))),
    Row("first-call", "what watching adds to a first call", "GEMM 1024^3, wall clock; min", "ms", "at most", 20,
        simulator.first_call),
    Row("snapshots", "cost of keeping every snapshot", "passes with and without; min", "x", "at most", 1.2,
        compiler.snapshots),
    *(Row(f"puzzle-{n}", f"puzzle {n}: {kind}", RUN, "s", "at most", 1.0, simulator.puzzle(n)) for n, kind in (
        ("01", "copy"), ("02", "multiply, ReLU"), ("03", "outer sum"), ("04", "ReLU backward"), ("05", "row sums"),
        ("06", "softmax"), ("07", "scalar attention"), ("08", "GEMM 4096^3 f16"), ("09", "convolution"),
        ("10", "packed GEMM 4096^3"))),
    Row("tiny-call", "call of a tiny kernel", "add of 256 elements from Python, wall clock; median", "us", "at most", 50,
        simulator.tiny),
    Row("captured", "comparing what a jit function's code reads", "ten names and attributes; CPU time of one call; min", "us",
        "at most", 1, simulator.captured),
    Row("gemm-openblas", "GEMM f32 against OpenBLAS", "CPU time, in turn, equal threads; min", "s", "ratio", 0.5,
        simulator.sgemm, "NumPy with OpenBLAS"),
    *(Row(f"triton-{name}", f"{what}, beside Triton", "wall clock; min", "ms", "ratio", 100,
          simulator.interpreter(name), "triton") for name, what in (
        ("add", "add 1M f32"), ("gemm-64", "GEMM 1024^3 f16 by 64"), ("gemm-128", "GEMM 1024^3 f16 by 128"),
        ("softmax", "softmax 4096x1024 f32"))),
    *(row for name in ("softmax", "gemm") for row in (
        Row(f"threads-{name}", f"thread level, {name}: results/s", "CPU time of one worker; best", "M/s", "at least", 300,
            simulator.thread_level(name)),
        Row(f"watchers-{name}", f"thread level, {name}: all watchers", "CPU time, against none; min", "x", "at most", 4,
            simulator.watchers(name)))),
    Row("check-gemm", "%check of a GEMM of 1024^3", CHECK, "ms", "at most", 200, simulator.checked("gemm")),
    Row("check-roles", "%check of it with roles, sm_90a", CHECK, "ms", "at most", 400, simulator.checked("roles")),
    Row("check-triton", "%check of a GEMM of 1024^3, beside Triton", "every detector; the peer values alone; wall clock; min", "ms",
        "ratio", 10, simulator.checked_beside_triton, "triton"),
    Row("check-numba", "%check of a GEMM of 32^3, beside Numba", "every detector; the peer bounds alone; wall clock; min", "ms",
        "ratio", 10, simulator.checked_beside_numba, "numba"),
    *(Row(f"check-puzzle-{n}", f"%check of puzzle {n}", CHECK, "ms", "at most", 1000, simulator.checked(n)) for n in (
        "01", "02", "03", "04", "05", "06", "07", "08", "09", "10")),
    *(Row(f"trace-{level}", f"%trace of a block of a GEMM of 256^3, {level} level", "wall clock, with its HTML; min", "ms", "at most",
          300, simulator.traced(level)) for level in ("tile", "thread")),
    *(Row(f"{command}-{kernel}", f"%{command} of a GEMM of 256^3{how}", "of one element, or of all passes; wall clock; min", "ms",
          "at most", 2000, simulator.traced_back(command, kernel)) for command in ("bisect", "why")
      for kernel, how in (("gemm", ""), ("roles", " with roles, sm_90a"))),
    Row("build-core", "debug build: the core's library", COLD, "s", "at most", 40, build.core_library),
    Row("build-core-tested", "debug build: the core, built and tested", COLD, "s", "at most", 60, build.core_tested),
    Row("build-all", "debug build: everything", COLD, "s", "at most", 120, build.whole),
    Row("build-edit", "debug build: after an edit of a pass", "2 cores; once", "s", "at most", 3, build.after_an_edit),
]
