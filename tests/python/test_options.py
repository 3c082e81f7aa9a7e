# SPDX-License-Identifier: Apache-2.0
"""Every option of every builtin that works is given a distinct value: then the kernel becomes a different
one, or the option is reported as without effect, or it is rejected. The reported ones are exactly core/elaborate/builtins/options.def.
(docs/adr/0012)"""

import functools
import linecache
import unittest
import warnings

import support  # noqa: F401
import tilelab as tilelang
import tilelab._core as core
from tilelab._compiler import ignored_options

HEAD = """
import tilelab.language as T
from tilelab.layout import Fragment
n = T.dynamic("n")
@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32"), H: T.Tensor((64, 64), "float16"),
         I: T.Tensor((64, 64), "int32"), D: T.Tensor((n,), "float32"), O: T.Tensor((64,), "float32")):
    with T.Kernel({kernel}) as bx:
        tx = T.get_thread_binding()
        S = T.alloc_shared((64, 64), "float32")
        X, Y = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float16")
        F, G = T.alloc_fragment((64, 64), "float32"), T.alloc_fragment((64, 64), "float32")
        R, J, K = T.alloc_fragment((64,), "float32"), T.alloc_fragment((64, 64), "int32"), T.alloc_fragment((64,), "int32")
        T.clear(R)
        T.clear(K)
{body}
"""
REDUCED = "T.copy(A, F)\n{call}\nT.copy(R, O)"
COUNTED = "T.copy(I, J)\n{call}\nfor i in T.Parallel(64):\n    O[i] = T.cast(K[i], 'float32')"
LOOP = "for i in {call}:\n    B[0, i] = A[0, i] + 1.0"
BLOCK = "for i in {call}:\n    T.copy(A, S)\n    T.copy(S, B)"
PARALLEL = "for i, j in {call}:\n    B[i, j] = A[i, j] + 1.0"
ELEMENT = "for i in T.Parallel(64):\n    O[i] = {call}"
LANES = "O[tx] = {call}"
REDUCER = "r = {call}\nT.reducer_init(r)\nfor i, j in T.Parallel(64, 64):\n    T.reducer_update(r[i], A[i, j])\nT.finalize_reducer(r, R)\nT.copy(R, O)"
MADE = "T.annotate_layout({{S: {call}}})\nT.copy(A, S)\nT.copy(S, B)"
LAYOUT = "Fragment((64, 64), forward_fn=lambda i, j: (i, j))"
CACHE = {"eviction_policy": "'evict_first'", "inner_cache_policy": "'none'", "outer_cache_policy": "'persist'"}
ANNOTATED = {"annotations": "{'pragma': 1}"}
REDUCE = {"dim": "0", "clear": "False", "batch": "2", "nan_propagate": "True"}
SCAN = "Z = T.alloc_shared((64, 64), 'float32')\nT.clear(Z)\nT.copy(A, S)\n{call}\nT.copy(S, B)\nT.copy(Z, A)"
SAMPLES = {  # builtin: (body, arguments, {option: value}[, arguments of T.Kernel])
    "Kernel": ("T.copy(A, B)", None, {"threads": "64", "prelude": "'int x;'", "is_cpu": "True", "producer_threads": "128",
                                                "cluster_dims": "2"}),
    "get_cluster_id": ("O[bx[0]] = T.cast({call}, 'float32')", "", {"dim": "1"}, "4, 2, threads=32"),
    "get_cluster_extent": (ELEMENT.replace("{call}", "T.cast({call}, 'float32')"), "", {"dim": "1"}, "4, 2, threads=32"),
    "copy_cluster": ("T.copy(A, X)\n{call}\nT.cluster_sync()\nT.copy(Y, B)", "X, Y",
                     {"dst_block": "1", "cluster_mask": "3", "remote_barrier": "S", "eviction_policy": "'evict_first'", "coalesced_width": "1",
                      "loop_layout": LAYOUT, **ANNOTATED}, "2, threads=64, cluster_dims=2"),
    "annotate_layout": ("{call}\nT.copy(A, S)\nT.copy(S, B)", "{S: T.make_swizzled_layout(S)}", {"allow_reannotation": "True"}),
    "get_thread_binding": ("O[tx] = T.cast({call}, 'float32')", "", {"dim": "1"}, "1, threads=(32, 2)"),
    "get_block_binding": ("O[bx[0]] = T.cast({call}, 'float32')", "", {"dim": "1"}, "4, 2, threads=32"),
    "get_thread_extent": (ELEMENT.replace("{call}", "T.cast({call}, 'float32')"), "", {"dim": "1"}, "1, threads=(32, 2)"),
    "get_block_extent": (ELEMENT.replace("{call}", "T.cast({call}, 'float32')"), "", {"dim": "1"}, "4, 2, threads=32"),
    "serial": (LOOP, "64", {"stop": "64", "step": "2", **ANNOTATED}),
    "unroll": (LOOP, "16", {"stop": "20", "step": "2", "explicit": "True", "unroll_factor": "4", **ANNOTATED}),
    "vectorized": (LOOP, "4", {"stop": "8", **ANNOTATED}),
    "Pipelined": (BLOCK, "4", {"stop": "8", "num_stages": "2", "order": "[0, 1]", "stage": "[0, 1]",
                               "sync": "[[0, 1]]", "group": "[[0, 1]]", **ANNOTATED}),
    "Parallel": (PARALLEL, "64, 64", {"coalesced_width": "1", "loop_layout": LAYOUT, "prefer_async": "True", **ANNOTATED}),
    "thread_binding": ("for t in {call}:\n    O[t] = A[0, t]", "32", {"stop": "32", "thread": "'threadIdx.y'", **ANNOTATED},
                       "1, threads=(32, 32)"),
    **{f"ldg{n}": (f"T.stg{n}(B[tx, 0], {{call}})", "A[tx, 0]", {"pred": "tx < 7"}) for n in (32, 64, 128, 256)},
    **{f"stg{n}": ("{call}", f"B[tx, 0], T.ldg{n}(A[tx, 0])", {"pred": "tx < 7"}) for n in (32, 64, 128, 256)},
    "wait_sqmma": ("T.copy(H, X)\nT.copy(H, Y)\nT.clear(F)\nT.clear(G)\nT.gemm(X, Y, F, wg_wait=-1)\nT.gemm(X, Y, G, wg_wait=-1)\n"
                   "{call}\nT.copy(F, B)\nT.wait_sqmma(0)\nT.copy(G, A)", "", {"num_mma": "1"}, "1, threads=128"),
    "builtins.range": (LOOP, "64", {"stop": "64", "step": "2"}),
    "builtins.sum": (ELEMENT, "[i, 1]", {"start": "2"}),
    "builtins.enumerate": ("for n, x in {call}:\n    O[n] = x", "[5, 6]", {"start": "2"}),
    "alloc_shared": ("s = {call}\nfor i in T.Parallel(64):\n    s[i] = A[0, i]\nT.copy(s, O)", "(64,)",
                     {"dtype": "'float16'", "scope": "'local'"}),
    "alloc_fragment": ("s = {call}\nT.copy(A[0, :], s)\nT.copy(s, O)", "(64,)", {"dtype": "'float16'", "scope": "'shared'"}),
    "alloc_local": ("s = {call}\ns[0] = A[0, tx]\nO[tx] = s[0]", "(2,)", {"dtype": "'float16'", "scope": "'shared'"}),
    "alloc_var": ("v = {call}\nO[tx] = T.cast(v, 'float32')", "'int32'", {"init": "3", "scope": "'shared'"}),
    "alloc_buffer": ("s = {call}\nfor i in T.Parallel(64):\n    s[i] = A[0, i]\nT.copy(s, O)", "(64,)",
                     {"dtype": "'float16'", "scope": "'fragment'"}),
    "alloc_reducer": (REDUCER, "(64,)", {"dtype": "'float16'", "op": "'mul'", "replication": "'all'"}),
    "reducer_init": ("r = T.alloc_reducer((64,))\n{call}\nfor i, j in T.Parallel(64, 64):\n    r[i] += A[i, j]\n"
                     "T.finalize_reducer(r, R)\nT.copy(R, O)", "r", {"init": "1.0"}),
    "finalize_reducer": ("r = T.alloc_reducer((64,))\nT.reducer_init(r)\nfor i, j in T.Parallel(64, 64):\n    r[i] += A[i, j]\n"
                         "{call}\nT.copy(R, O)", "r", {"dst": "R", "batch": "2"}),
    "copy": ("for k in T.Pipelined(4, num_stages=2):\n    {call}\n    T.copy(S, B)", "A, S", {"coalesced_width": "1", "disable_tma": "True", **CACHE,
                                              "force_async_copy": "True", "prefer_instruction": "'cp.async'", "loop_layout": LAYOUT,
                                              "src_robust_desc": "T.make_robust_desc(T.address_of(A[1, 0]), 256)", **ANNOTATED}),
    "gemm": ("T.copy(H, X)\nT.copy(H, Y)\nT.clear(F)\n{call}\nT.clear(G)\nT.wait_wgmma(0)\nT.copy(F, B)", "X, Y, F",
             {"transpose_A": "True", "transpose_B": "True", "policy": "1", "clear_accum": "True", "k_pack": "2",
              "wg_wait": "-1", "mbar": "S", **ANNOTATED}, "1, threads=128"),
    "wgmma_gemm": ("T.copy(H, X)\nT.copy(H, Y)\nT.clear(F)\n{call}\nT.copy(F, B)", "X, Y, F",
                   {"transpose_A": "True", "transpose_B": "True", "policy": "1", "clear_accum": "True", **ANNOTATED}),
    "async_copy": ("{call}\nT.ptx_wait_group(0)\nT.sync_threads()\nT.copy(S, B)", "A, S",
                   {"coalesced_width": "1", "loop_layout": LAYOUT, **ANNOTATED}),
    "tma_copy": ("b = T.alloc_barrier(64)\n{call}\nT.barrier_arrive(b)\nT.barrier_wait(b, 0)\nT.copy(S, B)", "A, S, barrier=b",
                 {"cluster_mask": "3", "leader_scope_threads": "32", **CACHE, **ANNOTATED}),
    "barrier_wait": ("b = T.alloc_barrier(64)\nT.barrier_arrive(b)\n{call}", "b", {"parity": "1"}),
    "reduce": (REDUCED, "F, R, 'max'", REDUCE), "reduce_sum": (REDUCED, "F, R", REDUCE),
    "reduce_max": (REDUCED, "F, R", REDUCE), "reduce_min": (REDUCED, "F, R", REDUCE),
    "reduce_absmax": (REDUCED, "F, R", REDUCE), "reduce_abssum": (REDUCED, "F, R", {k: v for k, v in REDUCE.items() if k != "nan_propagate"}),
    "reduce_bitand": (COUNTED, "J, K", REDUCE), "reduce_bitor": (COUNTED, "J, K", REDUCE),
    "reduce_bitxor": (COUNTED, "J, K", REDUCE),
    "cumsum": (SCAN, "S", {"dst": "Z", "dim": "1", "reverse": "True", **ANNOTATED}),
    "cummax": (SCAN, "S", {"dst": "Z", "dim": "1", "reverse": "True", **ANNOTATED}),
    "sort": ("T.copy(A, S)\n{call}\nT.copy(S, B)", "S", {"descending": "True"}),
    "atomic_cas": ("for i in T.Parallel(64):\n    {call}", "I[0, i], 1, 2", {"memory_order": "'release'"}),
    "tvm_thread_allreduce": ("s = T.alloc_local((1,))\nwith T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), 'reduce_scope', 0):"
                             "\n    {call}\nO[tx] = s[0]", "T.uint32(1), A[0, tx], True, s[0], tx", {"dtype": "'float32'"}),
    "get_warp_group_idx": ("O[tx // 2] = T.cast({call}, 'float32')", "", {"warp_size": "16", "warps_per_group": "1"},
                           "1, threads=128"),
    "sync_threads": ("{call}", "", {"barrier_id": "1", "arrive_count": "32"}),
    "sync_warp": ("{call}", "", {"mask": "3"}),
    "ballot_sync": ("O[tx] = T.cast({call}, 'float32')", "A[0, tx] > 0.0", {"mask": "3"}),
    "any_sync": ("O[tx] = T.cast({call}, 'float32')", "A[0, tx] > 0.0", {"mask": "3"}),
    "all_sync": ("O[tx] = T.cast({call}, 'float32')", "A[0, tx] > 0.0", {"mask": "3"}),
    "match_any_sync": ("O[tx] = T.cast({call}, 'float32')", "I[0, tx]", {"mask": "3"}),
    "match_all_sync": ("O[tx] = T.cast({call}, 'float32')", "I[0, tx]", {"mask": "3"}),
    "print": ("{call}", "O[tx]", {"msg": "'seen'", "warp_group_id": "1", "warp_id": "1"}),
    "device_assert": ("{call}", "O[tx] > 0.0", {"msg": "'seen'"}),
    "use_swizzle": ("{call}\nT.copy(A, B)", "4", {"order": "'col'", "enable": "False"}, "2, 2, threads=64"),
    "make_swizzled_layout": ("S = T.alloc_shared((60, 64), 'float32')\nT.annotate_layout({{S: {call}}})\nT.copy(A[0:60, :], S)\n"
                             "T.copy(S, B[0:60, :])", "S", {"k_major": "False", "allow_pad": "False"}),
    "make_sqmma_swizzled_layout": (MADE, "S", {"continuity": "32", "k_major": "False"}),
    "make_wgmma_swizzled_layout": (MADE, "S", {"continuity": "32", "k_major": "False"}),
    "rng_init": ("{call}\nO[tx] = T.rng_rand_float()", "42", {"seq": "3", "off": "5", "generator": "'curandStateXORWOW_t'"}),
    "rng_rand_float": ("T.rng_init(42)\nO[tx] = {call}", "", {"bit": "64", "dist": "'normal'"}),
    "infinity": (ELEMENT.replace("{call}", "T.cast(H[0, i] + {call}, 'float32')"), "", {"dtype": "'float16'"}), "round": (ELEMENT, "A[0, i]", {"rounding_mode": "'ties-away-from-zero'"}),
    "atomic_load": (ELEMENT, "A[0, i]", {"memory_order": "'acquire'"}),
    "atomic_store": ("for i in T.Parallel(64):\n    {call}", "O[i], 1.0", {"memory_order": "'release'"}),
}
for _name in ("add", "max", "min"):
    SAMPLES["atomic_" + _name] = ("for i in T.Parallel(64):\n    {call}", "O[i], A[0, i]",
                                  {"memory_order": "'release'", "return_prev": "True", "use_tma": "True"})
for _bitwise in ("atomic_or", "atomic_and", "atomic_xor", "atomic_exchange"):
    SAMPLES[_bitwise] = ("for i in T.Parallel(64):\n    {call}", "I[0, i], I[1, i]", SAMPLES["atomic_add"][2])
SAMPLES["access_ptr"] = ("for i in T.Parallel(63):\n    T.call_extern('handle', 'f', {call})", "O[i]", {
    "access_type": "'x'", "offset": "1", "extent": "2", "ignore_last_ndim": "1"})  # "r", "w" and "rw" are the documented ones
SAMPLES["cast"] = (ELEMENT, "A[0, i], 'float16'", {"round": "'rz'", "sat": "False", "rbits": "1"})
SAMPLES["ptx_cp_async"] = ("for i in T.Parallel(64):\n    {call}\nT.copy(S[0, :], O)", "T.access_ptr(S[0, i], 'w'), T.access_ptr(A[0, i]), 1",
                           {"predicate": "i < 9"})
SAMPLES["ptx_mma"] = ("a, b, c = T.alloc_local((8,), 'float16'), T.alloc_local((4,), 'float16'), T.alloc_local((4,), 'float32')\n{call}\nO[tx] = c[0]",
                      "'float32', 'm16n8k16', 'row', 'col', 'fp16', 'fp16', 'fp32', a.data, 0, b.data, 0, c.data, 0",
                      {"saturate": "True", "operator": "'xor'"})
for _name, _count in (("atomic_addx2", 2), ("atomic_addx4", 4)):
    SAMPLES[_name] = (f"for i in T.Parallel({64 // _count}):\n    {{call}}", f"O[i * {_count}], A[0, i * {_count}]",
                      {"return_prev": "True"})
for _name in ("shfl_xor", "shfl_up", "shfl_down", "shfl_sync"):
    SAMPLES[_name] = (LANES, "A[0, tx], 1", {"width": "8", "mask": "3"})
for _name, _args in (("add", "H[0, i], H[1, i]"), ("sub", "H[0, i], H[1, i]"), ("mul", "H[0, i], H[1, i]"),
                     ("fmaf", "H[0, i], H[1, i], H[2, i]"), ("fdiv", "H[0, i], H[1, i]"), ("frcp", "H[0, i]"),
                     ("fsqrt", "H[0, i]"), ("frsqrt", "H[0, i]")):
    SAMPLES["ieee_" + _name] = (ELEMENT, _args.replace("H", "A"), {"rounding_mode": "'rz'"})
SAMPLES |= {"gemm_v1": SAMPLES["gemm"], "gemm_v2": SAMPLES["gemm"], "Serial": SAMPLES["serial"], "Unroll": SAMPLES["unroll"], "Vectorized": SAMPLES["vectorized"],
            "parallel": SAMPLES["Parallel"], "allocate": SAMPLES["alloc_buffer"]}
# Types, names and layouts: their options are what they are made of, and other tests have them. T.Persistent is
# not lowered yet.
NO_SAMPLE = {"gemm_sp", "BaseTileScheduler", "PersistentTileScheduler", "__ldg", "Tensor", "Buffer", "StridedTensor", "dynamic", "symbolic", "const", "empty", "view", "Fragment", "alloc_global",
             "ptr", "make_tensor", "make_tensor_from_addr", "match_buffer", "CUDASourceCodeKernel", "import_source", "call_extern", "call_pure_extern", "wait_wgmma",
             "FragmentBuffer", "SharedBuffer", "LocalBuffer", "Persistent",
             "ClusterKernel", "get_lane_idx", "get_warp_idx", "get_warp_idx_sync"}
count = 0

ONLY_FOR = {"copy_cluster": "sm_90a"}
WITHOUT_UNITS = {"tilelab.hardware_units": False}


def statement(name, arguments, options):
    if name == "copy_cluster" and not any(option.startswith("dst_block") for option in options):
        options = ["dst_block=0", *options]
    given = ", ".join(filter(None, [arguments, *options]))
    return f"{name.removeprefix('builtins.')}({given})" if name.startswith("builtins.") else f"T.{name}({given})"


def compiled(name, options, units=True, target=None):
    """(flat IR and C without the name of the file, what was said) of the sample with some options; `units`: of the machine."""
    global count
    count += 1
    body, arguments, _, *kernel = SAMPLES[name]
    grid = kernel[0] if kernel else "1, threads=64"
    if name == "Kernel":
        grid, body = ", ".join(["2", *options]), body
    else:
        body = body.format(call=statement(name, arguments, options))
    text = HEAD.format(kernel=grid, body="".join(" " * 8 + line + "\n" for line in body.split("\n")))
    file = f"<option {count}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, file, "exec"), names)
        kernel = tilelang.compile(names["main"], pass_configs={} if units else WITHOUT_UNITS, target=target or ONLY_FOR.get(name))
        made = kernel.ir(level="flat") + kernel.get_kernel_source()
        return made.replace(file[1:-1], "F"), kernel._compilation.diagnostics


@functools.cache
def outcome(name, option, value, units=True, target=None):
    """The effect of giving an option: "works" (for a target at least), "reported" or "refused"."""
    options = [f"stop={value}"] if option == "stop" else [f"{option}={value}"]
    if name == "use_swizzle" and option == "panel_size":
        options = []
    plain, _ = compiled(name, [], units, target)
    try:
        made, said = compiled(name, options, units, target)
    except tilelang.CompileError as error:
        assert any(option in d["text"] or name in d["text"] for d in error.diagnostics), (name, option, str(error))
        return "refused"
    reported = [d for d in said if d["name"] in ("option-no-effect", "option-ignored") and f"`{option}` of T.{name}" in d["message"]]
    if reported:
        assert len(reported) == 1, reported
        return "reported"
    if made != plain:
        return "works"
    following = {None: "sm_90a", "sm_90a": "sm_80"}.get(target)
    return outcome(name, option, value, units, following) if following else "SILENT"


class Options(unittest.TestCase):
    def test_every_option_is_read_or_reported(self):
        for name, (_, arguments, options, *_rest) in SAMPLES.items():
            for option, value in options.items():
                for units in (True, False):
                    with self.subTest(f"T.{name}({option}={value})", units=units):
                        self.assertNotEqual(outcome(name, option, value, units), "SILENT")

    def test_the_table_is_what_is_reported(self):
        rows = {(name, option) for name, option, _, _ in core.options()}
        reported = set()
        for name, (_, _, options, *_rest) in SAMPLES.items():
            reported |= {(name, option) for option, value in options.items() if outcome(name, option, value, False) == "reported"}
        reported.add(("Persistent", "num_stages"))  # it has no sample
        reported.add(("use_swizzle", "panel_size"))  # its only positional argument
        reported.remove(("Kernel", "cluster_dims"))  # it has an effect on targets with clusters
        reported.remove(("sync_threads", "barrier_id"))  # it has an effect beside arrive_count
        self.assertEqual(rows, reported)

    def test_a_sample_without_its_option_is_the_same_kernel(self):
        for name in ("copy", "gemm", "Parallel"):
            self.assertEqual(compiled(name, [])[0], compiled(name, [])[0])

    def test_every_builtin_with_options_has_a_sample(self):
        for name, signature, status, _, _ in core.builtins() + [("builtins.range", "start, stop=None, step=1", "works", "", "")]:
            if status != "works" or "=" not in signature or name in NO_SAMPLE:
                continue
            given = {p.split("=")[0].strip() for p in signature.split(",") if "=" in p} - {"obj", "barrier"}  # which no call is without
            given -= {"allow_buffer_region"}  # keys in tests/kernels/dialects.py
            self.assertEqual(given, set(SAMPLES[name][2]), name)

    def test_once_a_kernel_and_quietly(self):
        body = "T.copy(A, S, eviction_policy='evict_last')\nT.copy(S, B, eviction_policy='evict_first')"
        SAMPLES["twice"] = (body, "", {})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _, said = compiled("twice", [])
        del SAMPLES["twice"]
        self.assertEqual([d["severity"] for d in said if "eviction_policy" in d["message"]], ["note"])
        self.assertEqual(caught, [])

    def test_masks_of_tvm_select_all_lanes(self):
        for mask in ("T.uint32(0xFFFFFFFF)", "-1", "T.uint32(0xFFFF)"):
            SAMPLES["twice"] = (f"O[tx] = T.tvm_warp_shuffle_up({mask}, A[0, tx], 1, 16, 32)", "", {})
            if "0xFFFF)" in mask:
                self.assertRaisesRegex(tilelang.CompileError, "lane-mask", compiled, "twice", [])
            else:
                self.assertEqual(compiled("twice", [])[1], [], mask)
        del SAMPLES["twice"]

    def test_accepted_builtins_are_reported(self):
        for name, _, status, _, _ in core.builtins():
            if status == "accepted":
                SAMPLES["twice"] = (f"T.{name}(4)\nT.copy(A, B)", "", {})
                _, said = compiled("twice", [])
                self.assertEqual([d["name"] for d in said], ["option-no-effect"], name)
        del SAMPLES["twice"]


class Keywords(unittest.TestCase):
    def test_of_making_are_notes_of_the_kernel(self):
        _, said = compiled("copy", [])
        self.assertEqual(said, [])
        text = HEAD.format(kernel="1, threads=64", body="        T.copy(A, B)")
        linecache.cache["<keywords>"] = (len(text), None, text.splitlines(True), "<keywords>")
        names = {}
        exec(compile(text, "<keywords>", "exec"), names)
        for given in ({"compile_flags": ["-O3"]}, {"instruments": [1]}, {"execution_backend": "cython"}, {"target_host": "c"}, {"verbose": True},
                      {"pass_configs": {"tl.disable_wgmma": True} | WITHOUT_UNITS}):
            kernel = tilelang.compile(names["main"], **given)
            (note,) = kernel._compilation.diagnostics
            self.assertEqual((note["name"], note["severity"]), ("option-no-effect", "note"))
            self.assertIn(list(given)[0] if "pass_configs" not in given else "tl.disable_wgmma", note["message"])
        kernel = tilelang.compile(names["main"], verbose=False, execution_backend="auto", pass_configs={"tl.disable_wgmma": False})
        self.assertEqual(kernel._compilation.diagnostics, [])

    def test_with_the_units_of_the_machine_they_are_read(self):
        text = HEAD.format(kernel="1, threads=64", body="""        for k in T.Pipelined(2, num_stages=2):
            T.copy(A, S, disable_tma=True)
            T.copy(S, B)""")
        linecache.cache["<units>"] = (len(text), None, text.splitlines(True), "<units>")
        names = {}
        exec(compile(text, "<units>", "exec"), names)
        for configs, reported in ((WITHOUT_UNITS, 2), ({"tl.disable_warp_specialized": True}, 0),
                                  ({"tilelab.hardware_units": True, "tl.disable_warp_specialized": True}, 0)):
            kernel = tilelang.compile(names["main"], pass_configs=configs)
            notes = [d for d in kernel._compilation.diagnostics if d["name"] == "option-no-effect"]
            self.assertEqual(len(notes), reported, notes)

    def test_unknown_ones_are_refused(self):
        for where in ("do_bench", "tilelang.autotune", "AutoTuner.set_profile_args"):
            with self.assertRaises(tilelang.UsageError) as caught:
                ignored_options.take(where, {"warmpu": 3})
            self.assertIn("error[call-keyword]", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
