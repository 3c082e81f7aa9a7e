# SPDX-License-Identifier: Apache-2.0
"""Output of commands on a kernel in every front end: cells, and texts that each must show. A kernel and a
command share the first cell, so that its source is found although it is not all Python."""
CELLS = [
    ("""import numpy as np, tilelang, tilelang.language as T
@T.prim_func
def twice(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(2, threads=64) as bx:
        x = T.alloc_fragment((32, 32), "float32")
        r = T.alloc_fragment((32,), "float32")
        T.copy(A[bx * 32, 0], x)
        unused = A[0, 0] * 3.0
        T.reduce_sum(x, r, dim=1)
        T.copy(r, B[bx * 32])

k = tilelang.compile(twice, out_idx=[1])
%kernels""", ["twice#1@mp_31"]),
    ("%explain copy-shape", ["this copy moves ... elements into ...", "not counting extents of 1"]),
    ("%explain race", ["two unordered accesses to one location"]),
    ("%explain grid-empty", ["too-small", "A grid has at least one block"]),
    ("""%warnings off turns-overwritten
%warnings on turns-overwritten""", ["disabled: dead-store-in-loop", "disabled: none"]),
    ("%explain bank conflict", ["Lanes of a warp that access different words of one bank", "all in bank 0"]),
    ("%explain k", ["T.copy(A[bx * 32, 0], x)", "select_instructions", "loads and stores by the threads"]),
    ("%explain k", ["32x32 elements, 4096 bytes, from global A to fragment x", "4 elements, 16 bytes per access: the widest access",
                    "[i0, i1] by thread ", "2 x 1 x 1 blocks of 64 threads", "1024 elements of fragment x to 32 of fragment r"]),
    ("""@T.prim_func
def turned(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32"), C: T.Tensor((96,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((32, 32), "float32")
        T.copy(A, s)
        for i, j in T.Parallel(32, 32):
            B[i, j] = s[j, i]
        for i in T.Parallel(96):
            C[i] = C[i] + 1.0
        T.annotate_pass_configs({"tilelab.bank_swizzles": False})

%explain turned""", ["s: accesses of a warp have no bank conflicts", "s: 32-way conflicts, 32 cycles instead of 1",
                     "s: 4096 bytes at 0, [i0, i1] is element i0 * 32 + i1", "1 element, 4 bytes per access; no 2 consecutive ", "768 bytes of memory"]),
    ("""@tilelang.jit
def leaned(A, B):
    A: T.Tensor((32, 32), "float32")
    B: T.Tensor((32, 32), "float32")
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((32, 32), "float32")
        T.annotate_layout({s: T.Layout((32, 32), lambda i, j: [i, (i + j) % 32])})
        T.copy(A, s)
        for i, j in T.Parallel(32, 32):
            B[i, j] = s[j, i]

%explain leaned""", ["s: accesses of a warp have no bank conflicts", "[i0, i1] is element i0 * 32 + (i0 + i1) % 32"]),
    ("""n = T.dynamic("n")
@T.prim_func
def scaled(A: T.Tensor((n,), "float32")):
    with T.Kernel(T.ceildiv(n, 64), threads=64) as bx:
        A[bx * 64] = 2.0

%explain scaled""", ["ceildiv(n, 64) x 1 x 1 blocks of 64 threads"]),
    ("""@tilelang.jit
def sized(N, W=64):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=W):
            A[0] = 1.0
    return main

small, narrow = sized(8), sized(8, W=32)
%kernels sized[N=8]""", ["sized#1[N=8]@mp_31", "sized#1[N=8, W=32]@mp_31"]),
    ("%ir sized[N=8]", ["sized#1[N=8]@mp_31", "block=64"]),
    ("%ir sized[N=8, W=32]", ["block=32"]),
    ("""@tilelang.jit
def chosen(N, M):
    @T.prim_func
    def main(A: T.Tensor((N, M), "float32")):
        with T.Kernel(1, threads=32):
            A[0, 0] = 1.0
    return main

made = chosen(8, 8), chosen(8, 16), chosen(16, 16)
%ir chosen[N=8]""", ["# chosen#1[N=8, M=16]@mp_31"]),
    ("%ir chosen[N=8]@mp_22", ["# chosen#1[N=8, M=16]@mp_22"]),
    ("%ir chosen[M=8]", ["# chosen#1[N=8, M=8]@mp_31"]),
    ("""byted = T.Layout((8, 8), lambda i, j: [i, i ^ j])
%layout byted --dtype int8 --address 16""", ["byte 16 (bank 4)", "byted[2, 2]"]),
    ("%layout byted --dtype float16", ["byted  f16[8, 8]  128 bytes"]),
    ("%tutorial", ["layouts", "Pipelines, rings and roles", "debugger", "%tutorial NAME opens one"]),
    ("%tutorial banks --text", ["Which accesses have bank conflicts?", "padded = transpose(256, pad=1)"]),
    ("%layout byted --dtype float16 --offsets", ["offset of each element", "a table: the map has no digits"]),
    ("%layout leaned.s --element 3,30", ["s[3, 30]", "byte 388, bank 1"]),
    ("%explain k 7", ["T.copy(A[bx * 32, 0], x)", "copy: loads and stores"]),
    ("%map k", ["IR after insert_barriers", "T.reduce_sum(x, r, dim=1)", "tl_", "removed by ",
                "flatten"]),
    ("%map k 10 --code", ["T.copy(A[bx * 32, 0], x)", "IR after insert_barriers"]),
    ("%map k 1 --code", ["#include"]),
    ("%layout k.x --element 3,5", ["x[3, 5]  -&gt;  warp "]),
    ("%bench k(np.ones((64, 32), np.float32)) --runs 2 --beside np.ones(3)",
     ["on the simulator: 2 runs", "8448 bytes, each argument once; 2050 operations", "simulated: these times do not predict a GPU",
      "np.ones(3) takes "]),
    ('%bench k(np.ones((64, 32), np.float32)) --runs 2 --beside "np.ones(3) + 1"', ["np.ones(3) + 1 takes "]),
    ("%trace k(np.ones((64, 32), np.float32)) --block 1",
     ["block (1) at tile level: 3 events", "reads A[32:64, 0:32]", "writes B[32:64] = 32"]),
    ("%trace --at 1", ["after event 1 of 3", "r  float32 [32] fragment: 32 to 32"]),
    ("%trace --at +1", ["after event 2 of 3"]),
    ("%trace k(np.ones((64, 32), np.float32)) --buffer A --all",
     ["how many of all 2 blocks access each element of A", "0 of 2048 elements by no block, 1 by several (first [0, 0])", "no block writes A"]),
    ("%trace --at -2", ["after event 0 of 3"]),
    ('%dbg k(np.ones((64, 32), np.float32)) -c "s; s; p r[3]; back; where"',
     ["0: line 7: T.copy(A[bx * 32, 0], x)", "2: line 10", "32.0", "the block: line 9"]),
    ("%bisect k (np.ones((64, 32), np.float32))", ["twice#1@mp_31: ", "snapshots run on the same inputs", "no pass changes a result"]),
    ("%why k.B[40](np.ones((64, 32), np.float32))",
     ["twice#1@mp_31: how B[40] was computed", "B[40] = 32", "T.reduce_sum(x, r, dim=1)", "reduce by block (1, 0)",
      "A[40, 0] = 1   an argument", "... and 31 more operands"]),
    ("%why k 9", ["line 9: what the passes did to it", "below a pass: its rule, ", "T.reduce_sum(x, r, dim=1)", "lower_tile_ops", "- reduce(x, r"]),
    ("%check k(np.linspace(0,1,2048,dtype=np.float32).reshape(64,32)) --exact", ["clean: ", "twice#1@mp_31: correct for its dtypes: B differs from float64 by"]),
    ("%check k(np.linspace(0,1,2048,dtype=np.float32).reshape(64,32)) --exact --against 'lambda *a: a[0].sum(1)'", ["the algorithm is correct: float64 equals the reference"]),
    ("%check k", ["twice#1@mp_31: no warnings in a sample of its blocks on generated tensors"]),
    ("%check sized(64, W=32)", ["no warnings in a sample of its blocks on generated tensors"]),
    ("%check k(np.ones((64,32),np.float32))", ["clean: ", "values are not checked: --against FUNCTION compares them"]),
    ("%check k(np.ones((64,32),np.float32)) --against lambda*a:a[0].sum(1)", ["clean: ", "twice#1@mp_31: B equals the reference"]),
    ("%check k(np.ones((64,32),np.float32)) --against lambda*a:a[0].sum(1)*2",
     ["differs from the reference", "64 of 64 elements of B differ", "the first is B[0]: 32, expected 64"]),
    ("%banks turned", ["turned#1@mp_31: 992 of 1056 wavefronts are lost to bank conflicts", "lambda i, j: i * 33 + j", "j ^ (i % 32)",
                       "the one block ran, with zeros as arguments"]),
    ("%banks turned.s 5 --target sm_80", ["turned#1@sm_80: no bank conflicts", "write"]),
    ("%roof k", ["twice#1@mp_31: bound by memory, compulsory", "hottest: line 7  T.copy(A[bx * 32, 0], x)",
                 "MTT S5000", "the 2 blocks ran, with zeros as arguments"]),
    ("%versus turned turned@sm_80", ["a: turned#1@mp_31", "b: turned#1@sm_80", "bank conflicts, cycles lost", "lines of code", "target"]),
    ("%versus twice@mp_31(np.ones((64, 32), np.float32)) twice@sm_80(np.ones((64, 32), np.float32))", ["b: twice#1@sm_80", "time, ms"]),
    ("%versus sized(64) sized(64, W=32)", ["[N=64]@mp_31", "[N=64, W=32]@mp_31", "threads of a block"]),
    ("%bisect twice@mp_31 twice@sm_80(np.ones((64, 32), np.float32))",
     ["twice#1@mp_31 and twice#1@sm_80: ", "both have the same results after each pass"]),
    ("%prints --block 1,0 --rows 8", ["events that T.print shows", "(1, 0)", "all threads", "1000"]),
    ("%prints --all", ["all blocks", "16"]),
    ("%layout k.x [3, 5]", ["x[3, 5]  -&gt;  warp "]),
    ("%layout k.x[3, 5]", ["x[3, 5]  -&gt;  warp "]),
    ("%layout k.x[30:32, 0:4]", ["thread:register of each element", "rows 30 to 31 of 32, columns 0 to 3 of 32", "31"]),
    ("%layout addr([16,64],[[a(16,64)],[a(64,1)]])", ["a slice shows others: [:, "]),
    ("%layout addr([2048],[[a(2048,1)]]) --banks", ["bank conflicts of one warp", "32 lanes along a row", "free of conflicts (1 cycle)"]),
    ("%layout k.x k.x", ["k.x and k.x are the same map"]),
    ("%layout addr([4,4],[[a(4,4)],[a(4,1)]]) addr([4,4],[[a(4,1)],[a(4,4)]])",
     ["differ in 12 of 16 elements,", "first in [0, 1]", "byte 4, bank 1", "byte 16, bank 4"]),
    ("%layout addr([2,3],[[a(2,3)],[a(3,1)]]) --latex", [r"\begin{tabular}"]),
    ("%layout T.Layout((4, 4), lambda i, j: [i, (i * i + j) % 4])[1, 3]", ["byte 16, bank 4"]),
    ("%layout {'a b': [k]}['a b'][0].x[3, 5]", ["x[3, 5]  -&gt;  warp "]),
    ("%layout k.x --thread 3", ["thread 3 (warp 0, lane 3) holds 16 elements"]),
    ("""%%ir k --after elaborate --as three
def twice(A: tensor(f32, [64, 32]), B: tensor(f32, [64])) -> outputs(1):
    with kernel("three_k0", grid=[2, 1, 1], block=64) as (bx, by, bz):
        for i in parallel(32):
            B[bx * 32 + i] = A[bx * 32 + i, 0] * 3.0

""", ["three is twice#1@mp_31~1: tile level, 12 passes from canonicalize to simplify"]),
    ("print(three(np.full((64, 32), 2, np.float32))[:3])", ["[6. 6. 6.]"]),
    ("%bisect k twice#1~1(np.ones((64, 32), np.float32))",
     ["twice#1@mp_31 and twice#1@mp_31~1", "they differ as elaborated, before any pass", "B[0] = 32 in twice#1, 3 in twice#1~1"]),
    ("%passes twice#1~1", ["twice#1@mp_31~1"]),
    ("%diff twice@mp_31 twice@mp_22", ["twice#1@mp_31 -&gt; twice#1@mp_22", '- ir(1, level="tile", target="mp_31", after="insert_b']),
    ("%diff k twice@sm_80 --to flatten", ["twice#1@mp_31 -&gt; twice#1@sm_80", 'level="flat", target="sm_80", after="flatten"']),
    ("%ir k@sm_80", ["twice#1@sm_80", 'target="sm_80"']),
    ("%passes [k][0]@sm_80", ["twice#1@sm_80"]),
    ("%roof sized(64, W=32)", ["sized#1[N=64, W=32]@mp_31: bound by memory"]),
    ("%ir leaned@sm_80", ['target="sm_80"']),
    ("%ir leaned", ['target="mp_31"']),
    ("%passes twice", ["twice#1@mp_31"]),
    ("%diff k --from canonicalize --to canonicalize", ["canonicalize -&gt; canonicalize", "no change"]),
    ("%kernels twice@sm_80", ["twice#1@sm_80"]),
    ("k.passes()[5:7]", ["[<infer_layouts: tile level, ", "<plan_shared_memory: tile level, "]),
    ("%diff k three", ["twice#1@mp_31 -&gt; twice#1@mp_31~1", "+         for i in parallel(32):"]),
    ("%dbg k(np.ones((64, 32), np.float32)) --print 9 r --where block=1", ["r on line 9 of twice#1@mp_31~", "1 time of 2"]),
    ("%hint 2 3", ["Hint 3 of 3", "T.if_then_else(a[i] * b[i] > 0"]),
    ("%puzzle", ["Copy a vector", "of 22 solved"]),
    ("""%%puzzle 11
@tilelang.jit
def backwards(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    with T.Kernel(T.ceildiv(N, TILE), threads=128) as block:
        for i in T.Parallel(TILE):
            B[block * TILE + i] = A[N - 1 - block * TILE - i]
    return B

""", ["puzzle 11 is solved", "memory score 100 of 100, within the budget"]),
    ("%puzzle 11 --solution", ["Puzzle 11: ", ", a solution", "def backwards(A, TILE: int):", "T.Parallel(TILE)"]),
]
AGAIN = """k = tilelang.compile(twice, out_idx=[1])
%kernels"""
WRONG = [
    ("%layout byted --dtype floot", "unknown type floot"),
    ("%layout leaned.s --dtype int8", "--dtype is for layouts made at the prompt; leaned.s has an element type"),
    ("%puzzle 99", "unknown puzzle 99; use 1 to 22"),
    ("%tutorial layots", "there is no tutorial layots; did you mean layouts?"),
    ("%puzzle --check", "which puzzle?"), ("%puzzle 9 --solution", "solve puzzle 9 first, or read its three hints: %hint 9"),
    ("%hint 3 4", "use hints 1 to 3, not 4"),
    ("%explain copy-shpe", "unknown message or term copy-shpe; did you mean copy-shape?"),
    ("%explain copyshape", "there is a message copy-shape"),
    ("%explain swizle", "there is a term swizzle"),
    ("%explain k 1", "the compiler made no decisions in line 1"),
    ("%explain k x", "%explain MESSAGE, %explain TERM, or %explain KERNEL [LINE]"),
    ("%diff twice#1~1@mp_22 k", "no kernel twice#1~1@mp_22"),
    ("%diff k twice@mp_99", "mp_99"),
    ("%diff k twice[N=3]", "twice was not compiled for N=3, and is not the latest version of a jit function"),
    ("%map nope", "no kernel nope"),
    ("%kernels nope", "no kernel nope; there are "),
    ("%layout k.x --thread 64", "x is distributed over threads 0 to 63; there is no thread 64"),
    ("%device nope", "unknown device nope; there are auto, "),
    ("%layout k.x --banks", "x is in registers, which have no banks; --banks is for shared memory"),
    ("%bench k", "%bench takes a call"),
    ("%bench k(np.ones((64, 32), np.float32)) --runs 0", "--runs takes a number of 1 or more, not 0"),
    ("%trace k", "%trace takes a call"),
    ("%trace k(np.ones((64, 32), np.float32)) --all", "--all counts the blocks that access a tensor: %trace add(a, b) --buffer C --all"),
    ("%trace k(np.ones((64, 32), np.float32)) --buffer x --all", "x is not one, tensors are A, B"),
    ("%trace k(np.ones((64, 32), np.float32)) --block 9", "no block (9) in a grid of 2 x 1 x 1"),
    ("%trace k(np.ones((64, 32), np.float32)) --steps 3", "--steps takes FROM:TO, not 3"),
    ("%trace --at 3", "the block has events 0 to 2; no event 3"),
    ("%dbg k(np.ones((64, 32), np.float32)) --print 9", "%dbg KERNEL(ARGUMENTS) --print LINE EXPR"),
    ("%dbg k(np.ones((64, 32), np.float32)) --print 900 r", "no statement of the kernel is in line 900"),
    ("%dbg --compare", "--compare needs the same --print twice"),
    ("%why k.B[40]", "the values come from a call: %why k.B[40](a, b)"),
    ("%why k", "%why takes an element and a call, or a kernel and a line: %why k.C[3, 5](a, b), %why k 7"),
    ("%why k 99", "line 99 has no statement of the kernel; its lines are 3 to 10"),
    ("%why k.B[64](np.ones((64, 32), np.float32))", "B has the shape [64], but [64] is out of bounds"),
    ("%why k.x[0, 0](np.ones((64, 32), np.float32))", "twice has no tensor x; it writes B."),
    ("%why k.B[oops](np.ones((64, 32), np.float32))", "[oops]: name 'oops' is not defined"),
    ("%why k.B[0](np.ones((64, 32), np.float32)) --depth x", "--depth takes a number, not x"),
    ("%shrink k(np.ones((64, 32), np.float32))", "nothing to shrink; a wrong result needs a"),
    ("%shrink k(np.ones((64, 32), np.float32)) --against 3", "--against takes a function of the inputs, such as np.matmul; not 3"),
    ("%shrink k(np.ones((64, 32), np.float32)) --as 3k", "3k is not a valid name for a kernel"),
    ("%shrink k", "%shrink takes a call: %shrink add(a, b)"),
    ("%check k(np.ones((64, 32), np.float32)) --against np.exp", "the reference has the shape [64, 32], but B has [64]"),
    ("%check k(np.ones((64, 32), np.float32)) --exact --against 3", "--against takes a function of the inputs, such as np.matmul; not 3"),
    ("%trace sized(N=64)", "sized(N=64) returns a kernel; %trace takes a call of it: %trace sized(N=64)(a, b)"),
    ("%banks", "%banks takes a kernel, with a line or arguments: %banks k, %banks k 7, %banks k(a, b)"),
    ("%banks nope", "no kernel nope"),
    ("%check k a b", "name one kernel, or a call of it such as add(a, b); there are "),
    ("%banks turned.x", " has no shared buffer x; it has s"),
    ("%banks turned 2", " does not access shared memory; lines "),
    ("%banks k N=3", "N is not an extent or scalar of twice, which has no dynamic ones"),
    ("%banks k --target cpu", "is for the target cpu, whose blocks are one thread each"),
    ("%roof k.x", "%roof takes a kernel, not its buffer x; %banks takes one"),
    ("%roof k 2", " neither transfers nor computes anything; lines "),
    ("%versus k", "%versus takes two kernels, the second one with arguments or without"),
    ("%versus k nope", "no kernel nope"),
    ("%versus k(1) k(2)", "%versus passes the arguments of the second kernel to both: %versus k KERNEL(...)"),
    ("%bisect k(1) k(2)", "%bisect passes the arguments of the second kernel to both: %bisect k k(2)"),
    ("%report k(np.ones((64, 32), np.float32))", "is clean with these arguments: nothing to report"),
    ("%report k k(a)", "%report takes one call"),
    ("%bisect k", "%bisect takes a call: %bisect add(a, b)"),
    ("%bisect k k(np.ones((64, 32), np.float32))", "both names refer to twice#"),
    ("%bisect", "%bisect takes a call, or a kernel and a call"),
    ("%bisect k nope(np.ones((64, 32), np.float32))", "no kernel nope"),
    ("%bisect k(np.ones((64, 32), np.float32)) --to nope", "unknown pass nope; %passes lists them"),
    ("%prints --block x", "--block takes integers, not x"),
    ("%prints --rows 1", "rows is an integer of at least 2; not 1"),
    ("%prints 3", "%prints takes options"),
    ("%source k --target mp_31 --ptx", "kernel twice is for mp_31, but PTX is only for NVIDIA"),
    ("%source k --target mp_31 --sass", "kernel twice is for mp_31, but SASS is only for NVIDIA"),
    ("%source k --svg x.svg", "%source has no picture; --svg is an option of %layout, %trace"),
    ("%layout k.x --thread 3,4", "--thread takes one integer, not 3,4"),
    ("%layout k.x[...]", "write a slice as FROM:TO"),
    ("%ir k.x", "x of the kernel k is not a kernel; %layout takes buffers"),
    ("class Box:\n    @tilelang.jit\n    def put(self, A):\n        with T.Kernel(1): pass\n\n%ir Box.put",
     "Box.put: a jit function has no self: define it in a method"),
    ("%ir sized~1", "no kernel sized~1"),
    ("%layout [k][3].x", "[k][3].x: IndexError: list index out of range"),
    ("%layout k.x[32, 0]", "x has the shape [32, 32]; [32, 0] is out of bounds"),
    ("%layout k.x[0:2]", "a slice of it has 2 parts"),
    ("%layout k.x[0:8:2, 0:1]", "write a slice as FROM:TO"),
    ("%layout k.x k.r", "they cannot be compared element by element"),
    ("%layout T.Fragment((8, 8))", "T.Fragment((8, 8)): T.Fragment needs forward_thread_fn"),
    ('%ir k after="flatten"', 'after= has no effect: k is not a jit function with unset values; the option is --after'),
    ("%passes k level=thread", "name 'thread' is not defined; the option is --level"),
    ("%ir k --as y", "--as is for %%ir"),
    ("%%ir k\ndef f(A: tensor(f32, [4])):\n    A[j] = 1.0\n\n", "line 3"),
    ("%%ir k --after flatten\nir(1, level=\"tile\", target=\"mp_31\")\ndef f(A: tensor(f32, [4])):\n    pass\n\n",
     "says that it is after elaboration, not flatten"),
]
ASSERTS = """
@T.prim_func
def small(A: T.Tensor((8,), "float32")):
    with T.Kernel(2, threads=4) as bx:
        for i in T.Parallel(4):
            T.print(A[bx * 4 + i], msg="a")
            T.device_assert(A[bx * 4 + i] < 7.0)
tilelang.compile(small)(np.arange(8, dtype=np.float32))"""


# Commands that give data: their arguments here, their completions, and the Python that gives the same
# (None: it is of the session, not of a kernel).
ROWS = {
    "kernels": ("k", ("%kernels twi", "twice"), None),
    "passes": ("k", ("%passes twi", "twice"), "k.passes().shown"),
    "ir": ("k --after flatten", ("%ir k --after lower", "lower_tile_ops"), "k.ir('flatten').shown"),
    "diff": ("k --to infer_layouts", ("%diff k --from sche", "schedule_pipelines"), "k.diff(to='infer_layouts')"),
    "layout": ("k.x --element 3,5", ("%layout k.", "k.x"), "k.layout('x', element=(3, 5))"),
    "source": ("k --target sm_80", ("%source k --target sm_8", "sm_80"), "k.source('sm_80')"),
    "map": ("k --code", ("%map k --co", "--code"), "k.map(by_code=True)"),
    "explain": ("k", ("%explain copy-sh", "copy-shape"), "k.explain()"),
    "check": ("k(ones)", ("%check twi", "twice"), "k.check(ones)"),
    "trace": ("k(ones) --block 1", ("%trace twi", "twice"), "k.trace(ones, block=(1,))"),
    "dbg": ("k(ones) --print 9 r", ("%dbg twi", "twice"), None),
    "bisect": ("k(ones)", ("%bisect k --fr", "--from"), "k.bisect(ones)"),
    "why": ("k.B[40](ones)", ("%why k.", "k.x"), "k.why('B', 40, ones)"),
    "versus": ("k racy", ("%versus twi", "twice"), "k.versus(racy)"),
    "banks": ("racy", ("%banks k.", "k.x"), "racy.banks()"), "roof": ("k(ones)", ("%roof k --al", "--all"), "k.roof(ones)"),
    "report": ("racy(np.zeros(64, np.float32)) --to r.py", ("%report twi", "twice"), "racy.report(np.zeros(64, np.float32), to='r.py')"),
    "shrink": ("racy(np.zeros(64, np.float32))", ("%shrink twi", "twice"), "racy.shrink(np.zeros(64, np.float32))"),
    "bench": ("k(ones) --runs 2", ("%bench twi", "twice"), "k.bench(ones, runs=2)"),
    "prints": ("", ("%prints --bl", "--block"), None),
    "puzzle": ("3", ("%puzzle 2", "22"), "tilelang.puzzles.puzzle(3)"),
    "hint": ("3 1", ("%hint 2", "20"), "tilelang.puzzles.hint(3, 1)"),
    "warnings": ("off unread-elements", ("%warnings off unread-el", "unread-elements"), None),
    "device": ("", ("%device si", "sim"), None), "target": ("", ("%target mp_2", "mp_22"), None),
    "who": ("", ("%who flo", "float"), None), "history": ("", ("%history -", "-l"), None), "env": ("", ("%env HOM", "HOME"), None),
}
# Text that varies between runs.
MEASURED = ("ms", "median", "best", "low", "high", "bytes_per_second", "operations_per_second", "seconds")
ASK_ROWS = '''
import json, _tilelab_host
ones = np.ones((64, 32), np.float32)
@T.prim_func
def racy(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        s = T.alloc_shared((64,), "float32")
        T.copy(A, s)
        for i in T.Parallel(64):
            s[i] = s[63 - i] + 1.0
        T.copy(s, A)
racy = tilelang.compile(racy)
def without_measurements(data):
    if isinstance(data, dict):
        return {key: without_measurements(value) for key, value in data.items() if key not in MEASURED}
    return [without_measurements(value) for value in data] if isinstance(data, list) else data
for row in _tilelab_host.commands():
    name = row["name"]
    assert row["help"].startswith(("%" + name, "%%" + name)) and "--help" in row["help"], name
    if name in ROWS or "--json" in row["help"]:
        line, _, method = ROWS.get(name, ("", None, None))
        view = __tilelab__.command_value(name, line)
        data = json.loads(view.json())
        assert data or data == [], name
        if method:
            made = eval(method)
            assert without_measurements(json.loads(made.json)) == without_measurements(data), name
            assert "<" in made.html and str(made), name
def same(made, name, line):
    return without_measurements(json.loads(made.json)) == without_measurements(json.loads(__tilelab__.command_value(name, line).json()))
sides = json.loads(k.compare_layout("x", k.for_target("sm_80")).json)
assert (sides["a"], sides["b"]) == ("twice#1@mp_31.x", "twice#1@sm_80.x"), sides
assert same(k.diff(other=racy), "diff", "k racy")
assert same(k.for_target("sm_80").passes().shown, "passes", "k --target sm_80")
print("rows:", len(ROWS))
'''


def text_in(shown):
    """A value as shown in a notebook's HTML and in a terminal, in one form."""
    return shown.replace("->", "-&gt;")
