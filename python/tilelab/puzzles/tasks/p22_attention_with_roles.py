# SPDX-License-Identifier: Apache-2.0
from ..task import Task
from . import attention as common
from .p20_attention import attention


def attention_with_roles(Q, K, V):
    return attention(Q, K, V)


def lacks_roles(kernel):
    """Whether the passes made a producer of some threads."""
    text = kernel.ir("schedule_pipelines")
    if "with role(" in text:
        return ""
    return "all threads load and compute: no loop became a pipeline with a role that loads (see %explain)"


TASK = Task(
    title="Attention with warp specialization",
    text="""
    The attention of puzzle 20, as fast kernels implement it: some threads only load, the others only compute, and a ring of
    tiles connects them. The compiler creates these roles for a T.Pipelined loop whose tiles T.gemm reads from shared memory.
    %explain attention_with_roles shows what it decided.""",
    flow=[("producer", ["K[S, D]", "V[S, D]"]), ("ring of 2 stages", ["k[TK, D]", "v[TK, D]"]),
          ("consumers", ["s = q @ k.T", "o += p @ v"]), ("memory", ["O[S, D]"])],
    to_write={"attention_with_roles": "with T.Kernel(..., threads=128) as block: ..."},
    hints=("Use your kernel of puzzle 20, with T.Pipelined(T.ceildiv(S, TK), num_stages=2) instead of T.Serial.",
           "The producer can only execute T.copy from memory to shared memory, and nothing that modifies a loaded tile.",
           "The loop has two copies, of k and v, at its start; the softmax works on fragments; p reaches T.gemm through shared memory."),
    parts=[common.part(attention_with_roles,
                       [dict(S=2, D=64, TQ=64, TK=64), dict(S=128, D=64, TQ=64, TK=64), dict(S=150, D=64, TQ=64, TK=64)],
                       dict(S=256, D=64, TQ=64, TK=64), demands=lacks_roles)])
