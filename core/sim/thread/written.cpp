// SPDX-License-Identifier: Apache-2.0
// Uninitialised reads of registers. Each local array has marks, one byte a lane and element, set by
// its stores and looked at by its loads. What the straight program proves (an element that was
// stored in an enclosing scope) costs nothing.
#include "core/sim/thread/compile.h"

namespace tilelab::sim {
namespace {

constexpr uint64_t fact_written = 1, fact_checked = 2;

uint64_t element_key(int32_t array, int64_t element) {
  return uint64_t(array) << 32 | uint64_t(element);
}

}  // namespace

/// Where an array is declared its elements are unwritten, each time anew.
void ThreadCompiler::watch_array(int32_t array) {
  const int64_t n = b.array(array).count;
  const int32_t marks = b.array("", n, 1);
  b.array(marks).marks = true;
  marks_[array] = marks;
  const Reg no = b.constant(Elem::bool_, 0);
  b.fence();
  for (int64_t i = 0; i < n; ++i) b.assign(b.element(marks, i), 1, nullptr, no);
}

bool ThreadCompiler::known_written(int32_t array, int64_t first, int64_t n) const {
  if (!marks_.count(array)) return true;
  for (int64_t i = first; i < first + n; ++i)
    if (!b.holds(fact_written, element_key(array, i))) return false;
  return true;
}

void ThreadCompiler::mark_written(int32_t array, int64_t first, int64_t n) {
  auto marks = marks_.find(array);
  if (marks == marks_.end()) return;
  writer_[array] = b.place();
  if (known_written(array, first, n)) return;
  const Reg yes = b.constant(Elem::bool_, 1);
  b.fence();
  for (int64_t i = first; i < first + n; ++i) {
    b.assign(b.element(marks->second, i), 1, nullptr, yes);
    b.assume(fact_written, element_key(array, i));
  }
}

/// What was looked at once needs no second look in the same scope.
void ThreadCompiler::check_written(int32_t array, int64_t first, int64_t n) {
  auto marks = marks_.find(array);
  if (marks == marks_.end()) return;
  for (int64_t i = first; i < first + n; ++i) {
    const uint64_t key = element_key(array, i);
    if (b.holds(fact_written, key) || b.holds(fact_checked, key)) continue;
    Instr check;
    check.op = Op::written;
    check.a = b.element(marks->second, i);
    check.site = b.add_site({-1, array, false, 0, 1, i, writer_[array]});
    b.emit(check);
    b.assume(fact_checked, key);
  }
}

void ThreadCompiler::mark_written_at(int32_t array, const Index& index) {
  auto marks = marks_.find(array);
  if (marks == marks_.end()) return;
  writer_[array] = b.place();
  Instr put;
  put.op = Op::store_reg;
  put.elem = index.elem;
  put.a = index_reg(index);
  put.b = b.constant(Elem::bool_, 1);
  put.extra = uint32_t(marks->second);
  b.emit(put);
  b.written_array(marks->second);
}

void ThreadCompiler::check_written_at(int32_t array, const Index& index) {
  auto marks = marks_.find(array);
  if (marks == marks_.end() || known_written(array, 0, b.array(array).count)) return;
  Instr load;
  load.op = Op::load_reg;
  load.elem = index.elem;
  load.a = index_reg(index);
  load.dst = b.temp(1);
  load.extra = uint32_t(marks->second);
  b.emit(load);
  Instr check;
  check.op = Op::written;
  check.a = load.dst;
  check.site = b.add_site({-1, array, false, 0, 1, -1, writer_[array]});
  b.emit(check);
}

/// Register operands of matrix operations. An asynchronous one may be told to start from zero, so
/// its accumulator is not looked at.
void ThreadCompiler::watch_slices(const Call& node, const CallSite& site, bool before) {
  const bool late = info(node.intrinsic).async != Async::none;
  for (size_t i = 0; i < site.operands.size() && i < node.args.size(); ++i) {
    const Operand& o = site.operands[i];
    if (o.form != Operand::Form::slice) continue;
    const OperandInfo& row = *operand_info(node.intrinsic, i);
    const bool looks = row.reads() && !(late && row.writes());
    if (before && looks) check_written(o.array, o.first, o.extents[0]);
    if (!before && row.writes()) mark_written(o.array, o.first, o.extents[0]);
  }
}

}  // namespace tilelab::sim
