# SPDX-License-Identifier: Apache-2.0
"""Python values where run-time control flow joins: branches, loops, macros; and items of containers, evaluated when made."""
import numpy as np
import tilelang.language as T

from case import case, integers

SIZES = [dict(N=64), dict(N=8), dict(N=33)]


def one_input(rng, N):
    return [integers(rng, N)]


@case(sizes=SIZES, inputs=one_input, reference=lambda x, N: [np.stack([
    np.where(x[0] > 4, 2, np.where(x[0] > 0, 3, np.where(x[0] > -9, x[0] * 2, 7))), np.where(x[0] % 2 == 0, x[0] % 2 == 0, x[0] > 7),
    np.maximum(x[0] * x[0] - 9, 0), np.where(x[0] > 4, 20, 10)])])
def values_of_branches(N):
    @T.macro
    def chosen(x):
        if x > 4:
            r = 20
        else:
            r = 10
        return r

    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((4, N), "int32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(N):
                if A[i] > 4:
                    v = 2
                elif A[i] > 0:
                    v = 3
                elif A[i] > -9:
                    v = A[i] * 2
                else:
                    with T.If(A[i] < 100):
                        with T.Then():
                            v = 7
                        with T.Else():
                            v = 8
                B[0, i] = v
                flag = A[i] % 2 == 0
                if not flag:
                    flag = A[i] > 7
                B[1, i] = T.cast(flag, "int32")
                x = A[i] * A[i] - 9
                if x < 0:
                    x = 0
                B[2, i] = x
                B[3, i] = chosen(A[i])
    return main


def carried(x, N):
    a, out = [int(v) for v in x[0]], np.zeros((4, 8), np.int64)
    for row in range(8):
        total, p, q, pair, last = 0, 0, 1, (1, 2), -1
        for i in range(min(row, N)):
            total = total + a[i]
            p, q = q, (p + q) % 97
            pair = (pair[1], pair[0] + i)
            if a[i] > 20:
                break
            last = i
        out[:, row] = total, q, pair[0] * 10 + pair[1], last
    return [out]


@case(sizes=SIZES, inputs=one_input, reference=carried)
def values_of_iterations(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((4, 8), "int32")):
        with T.Kernel(8, threads=32) as bx:
            total = 0
            p, q = 0, 1
            pair = (1, 2)
            last = -1
            for i in T.serial(T.min(bx, N)):
                total = total + A[i]
                p, q = q, (p + q) % 97
                pair = (pair[1], pair[0] + i)
                if A[i] > 20:
                    break
                last = i
            B[0, bx] = total
            B[1, bx] = q
            B[2, bx] = pair[0] * 10 + pair[1]
            B[3, bx] = last
    return main


def counted(x, N):
    out = []
    for value in x[0]:
        n, steps = int(value) % 50, 0
        while n > 1 and steps < 9:
            n = n // 2 if n % 2 == 0 else n * 3 + 1
            steps += 1
        out.append(n * 100 + steps)
    return [np.array(out)]


@case(sizes=SIZES, inputs=one_input, reference=counted)
def while_of_plain_names(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(N, threads=32) as bx:
            n = A[bx] % 50
            steps = 0
            while n > 1 and steps < 9:
                if n % 2 == 0:
                    n = n // 2
                else:
                    n = n * 3 + 1
                steps += 1
            B[bx] = n * 100 + steps
    return main


@case(sizes=SIZES, inputs=one_input, reference=lambda x, N: [np.stack([np.concatenate([[0], x[0][:-1] + 1]), np.where(
    np.arange(N) == 3, 30, np.arange(N))])])
def names_rebound(N):
    """A variable that is given the variable of a macro; a loop variable that a branch changes."""
    @T.macro
    def step(x):
        t = T.alloc_var("int32", init=1)
        t = t + x
        return t

    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((2, N), "int32")):
        with T.Kernel(1, threads=32):
            v = T.alloc_var("int32", init=0)
            for i in T.serial(N):
                B[0, i] = v
                v = step(A[i])
            for i in T.serial(N):
                at = i
                if i == 3:
                    i = 30
                B[1, at] = i
    return main


def made(x, N):
    a = x[0].astype(np.int64)
    first, second = a[0] + a[1], a[0] - a[1]
    return [np.array([first, second, first, a[2], a[1], 6, 15, 3])]


@case(sizes=SIZES, inputs=one_input, reference=made)
def items_when_made(N):
    @T.macro
    def put(s, x):
        s[0] = 50
        return x

    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=32):
            s = T.alloc_local((3,), "int32")
            for i in T.serial(3):
                s[i] = A[i]
            t = (s[0] + s[1], s[0] - s[1])
            s[0] = t[0]
            s[1] = t[1]
            B[0], B[1] = s[0], s[1]
            B[2] = put(s, s[0])
            rotated = [A[k] for k in (2, 1)]
            for k in [0, 1]:
                s[k] = rotated[k]
            for a, k in zip([s[0], s[1]], [1, 0]):
                s[k] = a
            B[3], B[4] = s[1], s[0]
            steps = []
            for k in [1, 2, 3]:
                steps.append(lambda x, k=k: x + k)
            B[5] = steps[0](5)
            items = [1, 2]
            same = items
            items += [12]
            B[6] = same[-1] + same[0] + same[1]
            v = T.alloc_var("int32", init=3)
            held = [v, v + 1]
            v = 9
            B[7] = held[0]
    return main


@case(sizes=SIZES, inputs=one_input, reference=lambda x, N: [np.stack([
    np.isin(x[0], (1, 5, 7)), ~np.isin(x[0], (2, 3)), np.where(x[0] == 0, 77, x[0]), np.where(x[0] == 0, 0, x[0] % 3),
    np.isin(x[0] % 9, range(5))])])
def operators_of_python(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((5, N), "int32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(N):
                B[0, i] = T.if_then_else(A[i] in (1, 5, 7), 1, 0)
                B[1, i] = T.if_then_else(A[i] not in [2, 3], 1, 0)
                B[2, i] = A[i] or 77
                B[3, i] = A[i] and A[i] % 3
                B[4, i] = T.if_then_else(A[i] % 9 in range(5), 1, 0)
    return main


@case(sizes=SIZES, inputs=one_input, reference=lambda x, N: [np.stack([x[0] + 1, x[0][::-1] + 2, x[0] * 2 + 4])])
def one_name_in_nested_loops(N):
    """Loops of one iteration whose bodies bind one name."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((3, N), "int32")):
        with T.Kernel(N, threads=32) as bx:
            for i in T.serial(1):
                for j in T.serial(1):
                    x = A[bx] + 1
                    B[0, bx] = x
                x = A[N - 1 - bx] + 2
                B[1, bx] = x
            y = T.alloc_var("int32", 4)
            z = T.alloc_var("int32", 2)
            for i in T.serial(1):
                for j in T.serial(1):
                    y, z = z * A[bx], y + i
                z, y = y + z, 1
            B[2, bx] = z
    return main


@case(sizes=SIZES, inputs=one_input, reference=lambda x, N: [np.stack([x[0] + np.arange(N), x[0] * 3, -x[0]])])
def names_of_an_ended_kernel(N):
    """Its block index and values reach no loop and branch of the next one, which binds the names again."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((3, N), "int32")):
        with T.Kernel(N, threads=32) as b:
            x = A[b] + b
            B[0, b] = x
        with T.Kernel(2, threads=32) as z:
            for b, in T.Persistent([N], 2, z):
                if A[b] > 0:
                    x = A[b] * 2
                else:
                    x = A[b] + A[b]
                for i in T.serial(A[b] * 0 + 1):
                    x = x + A[b] + i
                B[1, b] = x
        with T.Kernel(N, threads=32) as b:
            B[2, b] = -A[b]
    return main


def of_macros(x, N):
    out = np.zeros((6, N), np.int64)
    for i, a in enumerate(int(v) for v in x[0]):
        b = a + 1 if a > 2 else a * 3
        out[:, i] = b + 1, b, a + 1, b * 3, 2 * b + 7, b
    return [out]


@case(sizes=SIZES, inputs=one_input, reference=of_macros)
def variables_of_macros(N):
    """A variable that a macro returns is new: names, containers and branches that take it do not share it."""
    @T.macro
    def next_of(x):
        t = T.alloc_var("int32", init=1)
        t = t + x
        return t

    @T.macro
    def triple(x):
        t = T.alloc_var("int32", init=0)
        t = x * 3
        return t

    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((6, N), "int32")):
        with T.Kernel(1, threads=64):
            for i in T.serial(N):
                if A[i] > 2:
                    x = next_of(A[i])
                else:
                    x = triple(A[i])
                first = kept = x
                first += 1
                B[0, i] = first
                B[1, i] = kept
                items = [next_of(A[i]), triple(x)]
                one = items[0]
                one = one * 5
                for other in items:
                    other = other + 1
                B[2, i] = items[0]
                B[3, i] = items[1]
                (p, q), pair = both = (next_of(x), x), (triple(2), 0)
                p = p + q
                B[4, i] = p + pair[0]
                B[5, i] = both[0][0] - 1
    return main


@case(sizes=SIZES, inputs=one_input, reference=lambda x, N: [np.where(x[0] > 2, 7, x[0])])
def names_of_unrolled_branches(N):
    """A branch that is always taken binds, after its loop, the name of the loop's variable."""
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=64):
            for n in T.serial(N):
                a = T.alloc_local((2,), "int32")
                a[0] = A[n]
                x = a[0]
                for k in [7, 7]:
                    if x > 2:
                        y = a[0] + k
                        x = y - a[0]
                    if a[0] <= a[0]:
                        for y in T.serial(2):
                            y = 3
                        y = a[0] + k - k
                        a[1] = y
                B[n] = x
    return main
