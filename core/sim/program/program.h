// SPDX-License-Identifier: Apache-2.0
// Flat programs over lane registers, to which IR is compiled before it runs. Workers never read IR.
//
// The contract, for every level of the simulator:
// - A program is compiled for a constant number of lanes (threads of a warp, or iterations of a
//   T.Parallel at tile level). A lane register holds that many values of one element kind, packed
//   as lanes/lanes.h says; a vector value of width w is w registers. A bool is one byte, 0 or 1.
// - While a program is built, a Reg is a virtual register (program/build.h). ProgramBuilder::finish
//   assigns storage: a Reg is then a byte offset into the register file of its runner, or, with the
//   top bit set, into the page of constants, which all runners share.
// - Temporaries are computed for all lanes, active or not; kernels of lanes/lanes.h cannot trap.
//   Values that outlive a statement under a mask (variables, registers of local arrays) are written
//   with the `masked` form, memory only for active lanes.
// - Control flow is structured: if_/else_/end_if, loop/loop_test/loop_next/end_loop, break_. The
//   runner (program/run.h) keeps the masks; a program can stop at any instruction and resume.
// - `load` and `store` access memory through Access plans: element offset register, constant
//   offsets of the components of a vector. The runner defines what a memory is.
// - Everything else (collectives, barriers, copies, prints) is a `call`, which the runner defines.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/intrinsics/intrinsics.h"
#include "core/sim/lanes/lanes.h"
#include "core/support/span.h"
#include "core/support/symbol.h"

namespace tilelab::sim {

using Reg = uint32_t;
inline constexpr Reg no_reg = ~0u;
inline constexpr Reg constant_page = 1u << 31;

enum class Op : uint8_t {
  lanes,      // dst = fn(a, b, c) in all lanes
  masked,     // the same, kept in active lanes only; `bytes` = size of a lane of dst
  range,      // dst = smallest and largest active lane of a (kind elem), as two i64
  bounds,     // finding where an active lane of a + imm (kind elem) is outside [0, limit): limit =
              // lane 0 of b (kind i64) - extra or, without b, `extra`; c = the range of a
  written,    // finding where an active lane of a (one byte) is 0: an uninitialized register,
              // which `site` names
  nonzero,    // finding where an active lane of a (kind elem) is 0: a divisor
  load,       // accesses[extra]
  store,      // accesses[extra]
  load_reg,   // dst = element a[lane] (kind elem: i32 or i64) of the register array arrays[extra]
  store_reg,  // arrays[extra][a[lane]] = b, active lanes
  if_,        // active &= a; if none: to `extra`, the position of else_ or end_if
  else_,      // the other lanes; if none: to `extra`, the position of end_if
  end_if,     // if all lanes have left the loop: to `extra`, the end of the enclosing branch
  loop,       // enters a loop
  loop_test,  // lanes where a is false leave the loop; if none remains: to `extra` (end_loop)
  loop_next,  // next iteration, at `extra`, if a lane remains
  break_,     // active lanes leave the loop; continues at `extra` (end of the enclosing branch)
  end_loop,
  call,  // calls[extra], by the runner
  end,
};

struct Instr {
  Op op = Op::end;
  uint8_t bytes = 4;  // per lane of dst (masked)
  Elem elem = Elem::i32;
  bool counted = false;       // an arithmetic result of the program (not address arithmetic)
  bool for_watchers = false;  // a call for watchers: takes no time and changes nothing
  Reg dst = no_reg, a = no_reg, b = no_reg, c = no_reg;
  uint32_t extra = 0;
  uint32_t place = 0;  // index into Program::places
  uint32_t site = 0;   // of a check: index into Program::sites
  int64_t imm = 0;
  LaneFn fn = nullptr;
};

inline constexpr int max_vector = 16;

/// A load or store of `width` elements per lane: element i of lane l is element
/// base + offset[l] + delta[i] of the memory.
struct Access {
  int32_t memory = 0;
  Elem elem = Elem::f32;
  int32_t width = 1;
  Reg offset = no_reg;   // i32, or i64 where `wide`; no_reg = 0
  Reg address = no_reg;  // i64, bytes: of the memory, if the program computes it
  bool wide = false;
  bool contiguous = false;  // delta[i] == i: one access of width elements, aligned to its size
  bool checked = false;     // its indices were checked: errors have been reported
  int64_t base = 0;
  std::array<int64_t, max_vector> delta{};
  std::array<Reg, max_vector> value{};
  /// Initialization marks of elements that are only moved, one per component: a load stores here
  /// whether the element was written (one byte), a store propagates it. Empty: a use, which is
  /// checked.
  std::vector<Reg> marks;
};

/// Registers of a local array, evenly spaced: element i at first + i * stride.
struct RegArray {
  Reg first = no_reg;
  uint32_t stride = 0;  // bytes
  int64_t count = 0;
  int32_t bytes = 4;
  Symbol name, holds;  // `holds`: the buffer whose elements these are
  Span declared;
  bool marks = false;  // initialization marks of another array, one byte per lane and element
};

/// The state that decides when a loop ends. If it is variables alone (`known`), repeated values
/// mean an infinite loop.
struct Fate {
  bool known = false;
  bool waits = false;                               // for writes of others
  std::vector<std::pair<int32_t, Elem>> variables;  // arrays of one element
};

/// The subject of a check, for its message.
struct CheckSite {
  int32_t memory = -1, array = -1;  // one of them
  bool write = false;
  int32_t dim = 0, rank = 1;
  int64_t element = 0;  // of the array; -1: not constant
  uint32_t writer = 0;  // location of the previous store to the array in the program; 0: none
};

/// An operand of a call. `form` determines which fields are used.
struct Operand {
  enum class Form : uint8_t {
    none,
    value,    // regs, kind elem
    slice,    // consecutive elements of a local array: regs, kind elem, array
    region,   // a box of a memory: memory, regs[0] = element offset of its corner (i32 or i64 by
              // `wide`), extents of its sliced dimensions
    element,  // one element of a memory: memory, regs[0] = element offset
    barrier,  // number = first id, regs[0] = index (or id itself at flat level); extents[0] = how
              // many
    map,      // number = index of a tensor map
    list,     // regs: coordinates, kind elem each i32 or i64 by `wide`
  };
  Form form = Form::none;
  Elem elem = Elem::i32;
  bool wide = false;
  std::vector<Reg> regs;
  Reg address = no_reg;  // region, element: i64, as of an Access
  std::vector<int64_t> extents;
  int32_t memory = -1;
  int32_t array = -1;
  int64_t first = 0;  // slice: index of its first element
  int64_t number = 0;
  int64_t base = 0;      // constant part of the element offset
  bool checked = false;  // element: its indices were checked
};

/// Calls of a traced program, at every level: a statement begins (`text`, `names` with their
/// operands), or has bound a name.
inline constexpr int32_t call_statement = 512;
inline constexpr int32_t call_bound = 513;

/// A call: `what` is the runner's ID of the operation (thread level: Intrinsic), or one of its
/// extensions from 256 on. `numbers` are the attributes, encoded by the runner's compiler.
struct CallSite {
  int32_t what = 0;
  std::vector<Operand> operands;
  std::vector<int64_t> numbers;
  std::vector<Reg> results;
  Elem elem = Elem::i32;  // of the results
  std::string text;
  std::vector<Symbol> names;  // of the operands, if they have some
};

/// Where the variable of a loop has a value: instructions [first, end).
struct LoopScope {
  Symbol name;
  Elem elem = Elem::i32;
  int32_t array = -1;  // that holds it; -1: this copy of the body has `value`
  uint64_t value = 0;
  uint32_t first = 0, end = 0;
};

/// The operation by which an atomic changes its element; nullopt: it only loads it.
std::optional<LaneOp> operation_of(Intrinsic atomic);

struct ConstantLane {
  uint32_t offset = 0;  // into the page of constants
  Elem elem = Elem::i32;
  uint64_t bits = 0;
};

/// A register that the runner fills before a program starts.
struct Input {
  Symbol name;
  Elem elem = Elem::i32;
  Reg reg = no_reg;
};

struct Program {
  int32_t lanes = 32;
  std::vector<Instr> code;
  std::vector<Access> accesses;
  std::vector<RegArray> arrays;
  std::vector<CallSite> calls;
  std::vector<Fate> fates;       // `imm` - 1 of a loop_next; 0: a loop that ends
  std::vector<LoopScope> loops;  // outer before inner
  std::vector<ConstantLane> constants;
  std::vector<Input> inputs;
  std::vector<CheckSite> sites;  // sites[0] is empty
  std::vector<Span> places;      // places[0] is unknown
  uint32_t register_bytes = 0;   // per runner
  uint32_t constant_bytes = 0;   // of the page of constants
};

/// Fills the page of constants.
std::vector<uint8_t> constant_lanes(const Program& program);

}  // namespace tilelab::sim
