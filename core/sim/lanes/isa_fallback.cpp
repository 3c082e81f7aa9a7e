// SPDX-License-Identifier: Apache-2.0
// Replaces the kernels of an instruction set that this build omits by those of the base set, which
// compute the same values. Compiled once per omitted set (core/CMakeLists.txt), so the files that
// choose a table need no build option.
#include "core/sim/lanes/isa/gemm_table.h"
#include "core/sim/lanes/isa/isa.h"

namespace tilelab::sim {

void fill_arith_base(LaneTable&);
void fill_math_base(LaneTable&);
void fill_cast_base(LaneTable&);
void fill_move_base(LaneTable&);
void fill_gemm_base(GemmTable&);

void ISA_NAME(fill_arith_)(LaneTable& t) { fill_arith_base(t); }
void ISA_NAME(fill_math_)(LaneTable& t) { fill_math_base(t); }
void ISA_NAME(fill_cast_)(LaneTable& t) { fill_cast_base(t); }
void ISA_NAME(fill_move_)(LaneTable& t) { fill_move_base(t); }
void ISA_NAME(fill_gemm_)(GemmTable& t) { fill_gemm_base(t); }

}  // namespace tilelab::sim
