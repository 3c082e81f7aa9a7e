# SPDX-License-Identifier: Apache-2.0
"""Public functions read their parameters, or report that they have no effect. By the source: a parameter that its
function never names is in a table here, with the reason. By calling: an unknown keyword is
refused by every function that takes any keywords."""

import ast
import contextlib
import importlib
import inspect
import io
import os
import pathlib
import pkgutil
import unittest

import numpy as np
import support
import tilelab as tilelang
import tilelab.language as T
from tilelab._compiler import ignored_options

NO_GPU = "stands in for torch.cuda, whose device does not exist"
PROTOCOL = "Python's protocol, of which this is all that is needed"
REFUSES = "raises in any case, and says why"
UNREAD = {  # file, or file:function: why parameters are taken and not read
    "_redirect/device.py": NO_GPU, "_redirect/__init__.py": NO_GPU, "_redirect/mode.py": NO_GPU, "names/__init__.py": REFUSES,
    "_compiler/bridge.py:__call__": REFUSES, "jit/_prim_func.py:__call__": REFUSES,
    "_kernel/kernel.py:_report_crash": "JITKernel does",
    "_compiler/host_functions.py:_pointer": "every pointer is a handle", "_compiler/host_functions.py:lambda": "infinity is one in every type",
    "_compiler/bridge.py:extern_model": "there is no model before the first; extern_models replaces it",
    "language/extern_functions.py:_one_bit_in_bytes": "bits: a function of a table, like others",
    "_compiler/source.py:_candidates": "a function of a table, like others", "_compiler/kernel_warnings.py:lambda": PROTOCOL,
    "__init__.py:set_log_level": "there is no log: what is said is a warning or a note",
    "carver/arch/driver.py:get_shared_memory_per_block": "there is one device",
    "layout/mma.py:get_ldmatrix_offset": "matrix: A and B are stored alike; stride: the offset is a row and a column",
    "language/tile_schedule.py:__init__": "name: the compiler begins the names of variables with it",
    "language/tile_schedule.py:update_current_idx": "linear_idx: subclasses define the method",
    "language/mma_emitter.py:mma_atom": "k_inner: of operands in fragments, which it does not take",
    "jit/_kernel.py:__deepcopy__": PROTOCOL, "jit/_impl.py:__getitem__": REFUSES, "jit/_kernel.py:__getitem__": REFUSES,
    "jit/_prim_func.py:prim_func": "check_well_formed: every kernel is checked",
    "testing/__init__.py:regression": "verbose: each case prints one line in any case",
    "tvm/target.py:current": "allow_none: None where no target was chosen, which it may always be",
    "tvm/tirx.py:from_func": "ndim: the function's; inverse_index_map: layouts compute theirs; index_dtype: indices are Python's integers",
    "utils/__init__.py:build_date": "versions have no date, whichever is asked for",
    "_torch/absent.py:__init__": REFUSES,
    "ops/elementwise/arithmetic.py:lambda": "slopes, whose arguments are those of the formula",
    "utils/tensor.py:torch_assert_close": "check_device, check_layout: there is one device and one layout",
}
PROTOCOLS = {"__exit__", "_repr_mimebundle_", "find_spec", "exec_module", "__class_getitem__", "__torch_function__", "__array_finalize__", "__dlpack__",
             "slope", "slope_x", "slope_y", "gradient", "specification", "dequantized"}  # of operators: their arguments are those of the function
# Of the front ends: users call them by typing commands. And Triton's interface, whose hints for code generation change no value.
PRIVATE = ("_session", "_commands", "puzzles", "triton")


def unread():
    """{(file, function): parameters} that no line of the function names."""
    root, out = support.PACKAGE / "tilelab", {}
    files = [pathlib.Path(folder) / name for folder, _, names in os.walk(root, followlinks=True)  # a build has links
             for name in names if name.endswith(".py")]
    for file in sorted(files):
        path = file.relative_to(root)
        if path.parts[0] in PRIVATE:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
                continue
            a = node.args
            names = [x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if x]
            body = node.body if isinstance(node.body, list) else [node.body]
            used = {n.id for part in body for n in ast.walk(part) if isinstance(n, ast.Name)}
            left = [n for n in names if n not in used and n not in ("self", "cls", "_")]
            name = getattr(node, "name", "lambda")
            if left and name not in PROTOCOLS:
                out.setdefault((str(path), name), []).extend(left)
    return out


@T.prim_func
def double(A: T.Tensor((32,), "float32")):
    with T.Kernel(1, threads=32):
        for i in T.Parallel(32):
            A[i] = A[i] * 2.0


@tilelang.jit
def eager(A):
    A: T.Tensor((32,), "float32")
    with T.Kernel(1, threads=32):
        for i in T.Parallel(32):
            A[i] = A[i] * 2.0


@tilelang.jit
def factory(scale=2.0):
    @T.prim_func
    def scaled(A: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(32):
                A[i] = A[i] * scale
    return scaled


def array():
    return np.zeros(32, "float32")


def narrow():
    return tilelang.tensors.host.of_array(array()).to("bfloat16")


def tuned():
    return tilelang.autotune(configs=[{"scale": 3.0}])(factory)


NONSENSE = {"no_such_option": 1}
CALLS = {  # "module:qualified name": a call with the unknown keyword
    "autotuner:AutoTuneImpl.__call__": lambda: tuned()(**NONSENSE),
    "autotuner:AutoTuneImpl.compile": lambda: tuned().compile(**NONSENSE),
    "autotuner:AutoTuner.run": lambda: tilelang.autotuner.AutoTuner.from_kernel(factory, [{}]).run(**NONSENSE),
    "autotuner:AutoTuner.set_compile_args": lambda: tilelang.autotuner.AutoTuner.from_kernel(double, []).set_compile_args(**NONSENSE),
    "autotuner:AutoTuner.set_profile_args": lambda: tilelang.autotuner.AutoTuner.from_kernel(double, []).set_profile_args(**NONSENSE),
    "autotuner:autotune": lambda: tilelang.autotune(configs=[], **NONSENSE),
    "engine.lower:lower": lambda: tilelang.lower(double, **NONSENSE),
    "jit._impl:JITImpl.compile": lambda: factory.compile(**NONSENSE),
    "jit._impl:JITImpl.get_tir": lambda: factory.get_tir(**NONSENSE),
    "jit._impl:JITImpl.get_kernel_source": lambda: factory.get_kernel_source(**NONSENSE),
    "jit._impl:par_compile": lambda: tilelang.par_compile([double], **NONSENSE),
    "jit._kernel:JITKernel.banks": lambda: tilelang.compile(double).banks(**NONSENSE),
    "jit._kernel:JITKernel.roof": lambda: tilelang.compile(double).roof(**NONSENSE),
    "jit._prim_func:PrimFunc.script": lambda: double.script(**NONSENSE),
    "jit._prim_func:PrimFunc.show": lambda: double.show(**NONSENSE),
    "jit._prim_func:PrimFunc.__call__": lambda: double(**NONSENSE),
    "jit:Module.__call__": lambda: tilelang.jit(**NONSENSE),
    "ops.operator:Operator.__call__": lambda: tilelang.relu(array(), **NONSENSE),
    "ops.operator:Operator.fake": lambda: tilelang.ops.relu.fake(array(), **NONSENSE),
    "ops.operator:operator": lambda: tilelang.ops.module_of("relu").unary.__globals__["operator"](lambda: None, **NONSENSE),
    "ops.launch:launch": lambda: tilelang.ops.module_of("gemm").launch(factory, **NONSENSE),
    "profiler:do_bench": lambda: tilelang.profiler.do_bench(lambda: None, **NONSENSE),
    "profiler:Profiler.__call__": lambda: tilelang.compile(double).get_profiler()(array(), **NONSENSE),
    "profiler:Profiler.do_bench": lambda: tilelang.compile(double).get_profiler().do_bench(**NONSENSE),
    "tensors.host:Tensor.astype": lambda: tilelang.tensors.host.of_array(array()).astype("bfloat16", **NONSENSE),
    "tensors.host:NarrowTensor.partition": lambda: narrow().partition(1, **NONSENSE),
    "tensors.host:NarrowTensor.sort": lambda: narrow().sort(**NONSENSE),
    "tensors.host:NarrowTensor.<lambda>": lambda: narrow().sum(**NONSENSE),
    "testing:process_func": lambda: importlib.import_module("tilelab.testing").process_func(lambda: 1.0, **NONSENSE),
}
FORWARDS = {  # hand everything on, to a function of the user's or to the core, which refuse for themselves
    "tvm.tirx:_Written.__call__", "jit._prim_func:elaborate", "jit._kernel:_Making.__call__", "jit._kernel:kernel_of_ir", "profiler:times_of",
    "tensors.host:NarrowTensor.__array_ufunc__",  # to NumPy's function
    "jit._impl:JITImpl.__call__",  # reported, as TileLang's callers rely on it (test_forms)
}


def takes_any_keyword(function):
    try:
        kinds = {p.kind for p in inspect.signature(function).parameters.values()}
    except (TypeError, ValueError):
        return False
    return inspect.Parameter.VAR_KEYWORD in kinds


def public_functions():
    """("module:name", function) of the package's own modules and classes."""
    package = importlib.import_module("tilelab")
    for found in pkgutil.walk_packages(package.__path__, "tilelab."):
        name = found.name.partition(".")[2]
        if name.split(".")[0] in (*PRIVATE, "_core", "_compiler", "_gpu", "_kernel", "_tools", "_redirect", "_torch", "names"):
            continue
        module = importlib.import_module(found.name)
        for value in list(vars(module).values()):
            if getattr(value, "__module__", None) != found.name:
                continue
            if inspect.isfunction(value):
                yield f"{name}:{value.__name__}", value
            elif inspect.isclass(value):
                for member in vars(value).values():
                    member = getattr(member, "__func__", member)
                    if inspect.isfunction(member):
                        yield f"{name}:{value.__name__}.{member.__name__}", member


class Unread(unittest.TestCase):
    def test_every_parameter_is_read(self):
        found = unread()
        for (file, function), names in found.items():
            self.assertTrue({file, f"{file}:{function}"} & set(UNREAD), f"{function} of {file} never reads {names}")
        places = {file for file, _ in found} | {f"{file}:{function}" for file, function in found}
        self.assertEqual(set(UNREAD) - places, set(), "these are read by now")

    def test_an_unknown_keyword_is_rejected(self):
        wanted = {name for name, function in public_functions() if takes_any_keyword(function)}
        self.assertEqual(wanted - FORWARDS - set(CALLS), set(), "functions that take any keyword, and no call here")
        self.assertEqual((set(CALLS) | FORWARDS) - wanted, set(), "functions that are gone")
        for name, call in CALLS.items():
            with self.subTest(name), self.assertRaises((TypeError, ValueError)) as caught, contextlib.redirect_stdout(io.StringIO()):
                call()
            if name != "jit._prim_func:PrimFunc.__call__":  # no kernel: it can't be called at all
                self.assertIn("no_such_option", str(caught.exception), name)

    def test_keywords_without_effect_are_reported(self):
        calls = {"tilelang.lower": lambda: tilelang.lower(double, target_host="llvm"),
                 "PassContext": lambda: tilelang.tvm.transform.PassContext(disabled_pass=["x"]),
                 "Target": lambda: tilelang.tvm.target.Target("cuda", host="llvm"),
                 "par_compile": lambda: tilelang.par_compile([], num_workers=4),
                 "PrimFunc.script": lambda: double.script(show_meta=True)}
        for where, call in calls.items():
            ignored_options._reported.clear()
            with contextlib.redirect_stderr(io.StringIO()) as err:
                call(), call()
            self.assertEqual(err.getvalue().count("note[option-no-effect]"), 1, where)

    def test_constants_of_a_type(self):
        tirx = importlib.import_module("tilelab.tvm.tirx")
        self.assertEqual(tirx.FloatImm("float16", 0.1), float(np.float16(0.1)))
        self.assertEqual(tirx.FloatImm("float32", 0.1), float(np.float32(0.1)))
        self.assertEqual(tirx.FloatImm("bfloat16", 1.00390625), 1.0)
        self.assertEqual(tirx.FloatImm("float16", 1e6), np.inf)
        self.assertEqual(tirx.IntImm("int8", -128), -128)
        with self.assertRaises(ValueError):
            tirx.IntImm("int8", 128)


if __name__ == "__main__":
    unittest.main()
