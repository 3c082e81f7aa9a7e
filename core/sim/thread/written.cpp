// SPDX-License-Identifier: Apache-2.0
// Uninitialized reads of registers. Each local array has initialization marks, one byte per lane
// and element, set by its stores and checked by its loads. Statically proved reads (an element
// stored in an enclosing scope) cost nothing.
//
// Passes move whole fragments to where a statement needs them, with uninitialized elements. Such a
// move is not a use: it propagates the marks, and a read of the copy is reported.
#include <algorithm>

#include "core/sim/thread/compile.h"

namespace tilelab::sim {
namespace {

constexpr uint64_t fact_written = 1, fact_checked = 2, fact_all_written = 3;

uint64_t element_key(int32_t array, int64_t element) {
  return uint64_t(array) << 32 | uint64_t(element);
}

}  // namespace

/// Whether the value is a buffer's copy of the elements of `to`, in the same order.
bool ThreadCompiler::moves(const Expr& value, Symbol to) const {
  if (const Cast* c = as<Cast>(value)) return moves(c->a, to);
  if (const Vec* v = as<Vec>(value); v && v->op == VecOp::concat)
    return std::all_of(v->parts.begin(), v->parts.end(),
                       [&](const Expr& part) { return moves(part, to); });
  const Load* l = as<Load>(value);
  const Region* r = as<Region>(value);
  if (!l && !r) return false;
  const Symbol from = l ? l->buffer : r->buffer;
  const auto known = buffers_.find(from);
  const BufferUse& into = buffers_.at(to);
  return known != buffers_.end() && from != to && known->second.holds == into.holds &&
         known->second.scope != Scope::global && into.scope != Scope::global;
}

bool ThreadCompiler::moves(const Store& node) const {
  return options_.uninitialized && moves(node.value, node.buffer);
}

/// At each execution of its declaration the elements of an array become uninitialized.
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

/// The same for a whole array, whose elements may be thousands. Each store asks as well: so the
/// scope of the last one knows it, and the accesses in the scopes inside look no element up.
bool ThreadCompiler::all_written(int32_t array) {
  if (!marks_.count(array) || b.holds(fact_all_written, uint64_t(array))) return true;
  const int64_t n = b.array(array).count;
  int64_t& unknown = unknown_[array];
  for (; unknown < n; ++unknown)
    if (!known_written(array, unknown, 1)) return false;
  // What was known of the first ones may have been known in a scope that has ended.
  for (unknown = 0; unknown < n; ++unknown)
    if (!known_written(array, unknown, 1)) return false;
  b.assume(fact_all_written, uint64_t(array));
  return true;
}

/// `moved`: the elements' own marks, if they are only moved.
void ThreadCompiler::mark_written(int32_t array, int64_t first, int64_t n, const Marks& moved) {
  auto marks = marks_.find(array);
  if (marks == marks_.end()) return;
  if (moved.empty()) writer_[array] = b.place();
  if (known_written(array, first, n)) return;
  const Reg yes = b.constant(Elem::bool_, 1);
  b.fence();
  for (int64_t i = first; i < first + n; ++i) {
    const Reg mark = moved.empty() ? yes : moved[size_t(i - first)];
    b.assign(b.element(marks->second, i), 1, nullptr, mark);
    if (mark == yes) b.assume(fact_written, element_key(array, i));
  }
  all_written(array);
}

/// A checked element needs no further check in the same scope.
void ThreadCompiler::check_written(int32_t array, int64_t first, int64_t n) {
  auto marks = marks_.find(array);
  if (marks == marks_.end()) return;
  for (int64_t i = first; i < first + n && moved_; ++i)
    moved_->push_back(known_written(array, i, 1) ? b.constant(Elem::bool_, 1)
                                                 : b.element(marks->second, i));
  for (int64_t i = first; i < first + n && !moved_; ++i) {
    const uint64_t key = element_key(array, i);
    if (b.holds(fact_written, key) || b.holds(fact_checked, key)) continue;
    b.emit({.op = Op::written,
            .a = b.element(marks->second, i),
            .site = b.add_site({-1, array, false, 0, 1, i, writer_[array]})});
    b.assume(fact_checked, key);
  }
}

void ThreadCompiler::mark_written_at(int32_t array, const Index& index, Reg mark) {
  auto marks = marks_.find(array);
  if (marks == marks_.end()) return;
  if (mark == no_reg) writer_[array] = b.place();
  b.emit({.op = Op::store_reg,
          .elem = index.elem,
          .a = index_reg(index),
          .b = mark == no_reg ? b.constant(Elem::bool_, 1) : mark,
          .extra = uint32_t(marks->second)});
  b.written_array(marks->second);
}

void ThreadCompiler::check_written_at(int32_t array, const Index& index) {
  auto marks = marks_.find(array);
  if (marks == marks_.end()) return;
  if (all_written(array)) {
    if (moved_) moved_->push_back(b.constant(Elem::bool_, 1));
    return;
  }
  Instr load;
  load.op = Op::load_reg;
  load.elem = index.elem;
  load.a = index_reg(index);
  load.dst = b.temp(1);
  load.extra = uint32_t(marks->second);
  b.emit(load);
  if (moved_) return moved_->push_back(load.dst);
  b.emit({.op = Op::written,
          .a = load.dst,
          .site = b.add_site({-1, array, false, 0, 1, -1, writer_[array]})});
}

/// Register operands of matrix operations. An asynchronous one may start from zero, so its
/// accumulator is not checked.
void ThreadCompiler::watch_slices(const Call& node, const CallSite& site, bool before) {
  const bool late = info(node.intrinsic).async != Async::none;
  for (size_t i = 0; i < site.operands.size() && i < node.args.size(); ++i) {
    const Operand& o = site.operands[i];
    if (o.form != Operand::Form::slice) continue;
    const OperandInfo& row = *operand_info(node.intrinsic, i);
    const bool reads = row.reads() && !(late && row.writes());
    if (before && reads) check_written(o.array, o.first, o.extents[0]);
    if (!before && row.writes()) mark_written(o.array, o.first, o.extents[0]);
  }
}

}  // namespace tilelab::sim
