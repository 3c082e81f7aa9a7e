// SPDX-License-Identifier: Apache-2.0
#include "core/passes/schedule_pipelines/overlap_matmul.h"

#include <algorithm>
#include <set>

#include "core/analysis/bindings.h"
#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/passes/shared/ring_plan.h"

namespace tilelab {
namespace {

std::set<Symbol> assigned_in(const std::vector<Stmt>& list) {
  std::set<Symbol> out;
  for (const Stmt& stmt : list)
    for_each(*stmt, [&](const Assign& assign) { out.insert(assign.name); });
  return out;
}

/// Whether every iteration of a loop stores to the same elements of a buffer. The others are then
/// never written, so that each iteration can have its own slot.
class SameElements {
 public:
  SameElements(Symbol iteration, Symbol buffer, std::set<Symbol> assigned)
      : buffer_(buffer), varying_(std::move(assigned)) {
    varying_.insert(iteration);
  }

  bool in(const Stmt& stmt, bool surely = true) {
    for (const Effect& effect : effects(*stmt)) {
      if (!effect.write || effect.buffer != buffer_) continue;
      for (const RegionDim& dim : effect.box)
        if (!surely || effect.atomic || varies(dim.lo)) return false;
    }
    const If* branch = as<If>(stmt);
    surely = surely && !(branch && varies(branch->cond)) && !contains_loop_exit(*stmt);
    bind(*stmt);
    bool same = true;
    for_each_stmt(*stmt, [&](const Stmt& s) { same = same && in(s, surely); });
    return same;
  }

 private:
  bool varies(const Expr& value) const { return value && !is_invariant(value, varying_); }

  static bool contains_loop_exit(const StmtNode& stmt) {
    return as<While>(&stmt) || (as<For>(&stmt) && contains<Break>(stmt));
  }

  /// Values of the iteration, of memory and of variables vary.
  void bind(const StmtNode& stmt) {
    const Let* let = as<Let>(&stmt);
    const For* loop = as<For>(&stmt);
    if (let && !varies(let->value)) return;
    if (loop && !varies(loop->lo) && !varies(loop->hi) && !varies(loop->step)) return;
    if (as<Parallel>(&stmt)) return;
    for_each_bound(stmt, [&](Symbol name) { varying_.insert(name); });
  }

  const Symbol buffer_;
  std::set<Symbol> varying_;
};

class Rotation {
 public:
  Rotation(const For& loop, const Seq& list, size_t matmul, Symbol ring, const KernelMemory& memory,
           const std::unordered_map<Symbol, int>& uses, std::unordered_map<Symbol, int>& taken)
      : loop_(loop),
        list_(list.stmts),
        matmul_(matmul),
        ring_(ring),
        memory_(memory),
        uses_(uses),
        taken_(taken) {}

  EarlyOperands run() {
    out_.operands = filled_operands();
    if (out_.operands.empty()) return std::move(out_);
    out_.refused = divide();
    if (out_.refused.empty()) rotate();
    return std::move(out_);
  }

 private:
  Touched touch(const Stmt& stmt) const { return touched(*stmt, memory_.views); }

  /// The shared operands of the matmul that statements before it store to.
  std::vector<Symbol> filled_operands() const {
    std::vector<Symbol> out;
    const Gemm& gemm = to<Gemm>(list_[matmul_]);
    for (const Expr& operand : {gemm.a, gemm.b}) {
      const Symbol name = to<Region>(operand).buffer;
      const Buffer* buffer = memory_.buffer(to<Region>(operand));
      if (!buffer || buffer->scope != Scope::shared || !uses_.count(name)) continue;
      const bool filled =
          std::any_of(list_.begin(), list_.begin() + int64_t(matmul_),
                      [&](const Stmt& stmt) { return touch(stmt).written.count(name) != 0; });
      if (filled && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
    return out;
  }

  bool is_operand(Symbol name) const {
    return std::find(out_.operands.begin(), out_.operands.end(), name) != out_.operands.end();
  }

  /// Divides the iteration into what fills the operands and what uses them, or returns why it
  /// cannot.
  std::string divide() {
    for (Symbol operand : out_.operands)
      if (std::string why = not_divisible(operand); !why.empty()) return why;
    for (size_t i = 0; i < list_.size(); ++i) {
      const bool used = i >= matmul_ || is_slot_of_use(i);
      (used ? use_ : fill_).push_back(list_[i]);
      if (contains<Break>(*list_[i])) return "the loop may end before it";
      if (as<Var>(list_[i])) return "the iteration has its own variables";
    }
    Touched fills = touch(seq(std::vector<Stmt>(fill_))),
            uses = touch(seq(std::vector<Stmt>(use_)));
    for (Touched* side : {&fills, &uses})
      for (Symbol operand : out_.operands) side->read.erase(operand), side->written.erase(operand);
    if (prints(fill_) && prints(use_)) return "it and what fills `" + operand() + "` print";
    if (conflict(fills, uses)) return "what fills `" + operand() + "` depends on its result";
    return names_across();
  }

  static bool prints(const std::vector<Stmt>& list) {
    return std::any_of(list.begin(), list.end(),
                       [](const Stmt& s) { return contains<Record>(*s); });
  }

  std::string operand() const { return out_.operands[0].str(); }

  std::string not_divisible(Symbol operand) const {
    int here = 0;
    bool filled = false;  // by an earlier statement
    SameElements elements(loop_.var, operand, assigned_in(list_));
    for (size_t i = 0; i < list_.size(); ++i) {
      const Touched memory = touch(list_[i]);
      for_each(*list_[i], [&](const Node& node) {
        for_each_use(node, [&](Symbol name) { here += name == operand; });
      });
      if (memory.written.count(operand) && i > matmul_)
        return "`" + operand.str() + "` is written after it";
      if (i < matmul_ && !elements.in(list_[i]))
        return "iterations fill different elements of `" + operand.str() + "`";
      if (i < matmul_ && memory.read.count(operand) && !filled)
        return "`" + operand.str() + "` keeps elements of earlier iterations";
      const Copy* copy = as<Copy>(list_[i]);
      const Region* into = copy ? &to<Region>(copy->dst) : nullptr;
      filled |= into && into->buffer == operand && is_whole(*into, memory_);
    }
    if (memory_.aliased_or_escaping(operand) || here != uses_.at(operand))
      return "`" + operand.str() + "` has uses outside of the loop";
    return "";
  }

  /// Whether the statement takes a slot that nothing before the matmul uses.
  bool is_slot_of_use(size_t i) const {
    if (!is_ring_op(list_[i], RingOpKind::wait)) return false;
    const RingOp& taken = to<RingOp>(list_[i]);
    for (size_t k = i + 1; k < matmul_; ++k) {
      const RingOp* op = as<RingOp>(list_[k]);
      if ((op && op->ring == taken.ring) || mentions(*list_[k], taken.slot)) return false;
    }
    return true;
  }

  static std::set<Symbol> rings_in(const std::vector<Stmt>& list) {
    std::set<Symbol> out;
    for (const Stmt& stmt : list) for_each(*stmt, [&](const RingOp& op) { out.insert(op.ring); });
    return out;
  }

  /// Values that both sides name are bound in both, if they can be.
  std::string names_across() {
    std::vector<Stmt> both;
    const std::set<Symbol> rings = rings_in(use_);
    for (Symbol ring : rings_in(fill_))
      if (rings.count(ring)) return "it and what fills `" + operand() + "` read one slot";
    for (const auto& [one, other] : {std::pair(&fill_, &use_), std::pair(&use_, &fill_)})
      for (Symbol name : assigned_in(*one))
        for (const Stmt& stmt : *other)
          if (mentions(*stmt, name) || assigned_in({stmt}).count(name))
            return "it and what fills it share `" + name.str() + "`";
    for (size_t i = fill_.size(); i-- > 0;) {
      const Stmt& stmt = fill_[i];
      const Symbol name = bound_by(*stmt);
      const auto names_it = [&](const Stmt& other) { return mentions(*other, name); };
      const bool needed = name && (std::any_of(use_.begin(), use_.end(), names_it) ||
                                   std::any_of(both.begin(), both.end(), names_it));
      if (!needed) continue;
      const Let* let = as<Let>(stmt);
      if (!let || contains<Load, Region, Call>(*let->value))
        return "what fills `" + operand() + "` computes a value that is needed after it";
      both.push_back(stmt);
    }
    use_.insert(use_.begin(), both.rbegin(), both.rend());
    return "";
  }

  void rotate() {
    const DType dtype = loop_.lo->type.dtype;
    const Expr before = sub(name_ref(loop_.var, {dtype}), int_const(1, dtype));
    fill_in_slot(), use_slot();
    out_.first = fresh(fill_, loop_.lo);
    out_.last = fresh(use_, sub(loop_.hi, int_const(1, dtype)));
    const std::vector<Stmt> used = fresh(use_, before);
    const auto matmul = std::find_if(used.begin(), used.end(),
                                     [](const Stmt& stmt) { return as<Gemm>(stmt) != nullptr; });
    out_.iteration.assign(used.begin(), matmul + 1);
    out_.iteration.insert(out_.iteration.end(), fill_.begin(), fill_.end());
    out_.iteration.insert(out_.iteration.end(), matmul + 1, used.end());
  }

  std::unordered_map<Symbol, Symbol> operands_in(Symbol slot) const {
    std::unordered_map<Symbol, Symbol> out;
    for (Symbol operand : out_.operands) out[operand] = slot;
    return out;
  }

  /// No other hardware fills the slots.
  Stmt by_threads(const Stmt& stmt) const {
    return rewrite_stmts(stmt, [&](const Stmt& s) -> Stmt {
      const Copy* copy = as<Copy>(s);
      if (!copy || !is_operand(to<Region>(copy->dst).buffer)) return s;
      Copy out(*copy);
      out.by = CopyBy::simt, out.map = {};
      return at(s->span, make(std::move(out)));
    });
  }

  void fill_in_slot() {
    const Symbol slot = fresh_name("w", taken_);
    for (Stmt& stmt : fill_) stmt = in_slots(by_threads(stmt), operands_in(slot));
    fill_.insert(fill_.begin(), ring_op(RingOpKind::acquire, ring_, slot));
    fill_.push_back(ring_op(RingOpKind::commit, ring_));
  }

  /// The slot is released after its last use.
  void use_slot() {
    const Symbol slot = fresh_name("s", taken_);
    size_t last = 0;
    for (size_t i = 0; i < use_.size(); ++i)
      for (Symbol operand : out_.operands)
        if (touch(use_[i]).read.count(operand)) last = i;
    for (Stmt& stmt : use_) stmt = in_slots(stmt, operands_in(slot));
    use_.insert(use_.begin() + int64_t(last) + 1, ring_op(RingOpKind::release, ring_));
    use_.insert(use_.begin(), ring_op(RingOpKind::wait, ring_, slot));
  }

  /// A copy of the statements for another iteration, with fresh names for those that they bind.
  std::vector<Stmt> fresh(const std::vector<Stmt>& list, const Expr& iteration) {
    std::unordered_map<Symbol, Symbol> names;
    for (const Stmt& stmt : list)
      if (const Symbol name = bound_by(*stmt)) names[name] = fresh_name(name, taken_);
    const Stmt all = substitute(seq(std::vector<Stmt>(list)), {{loop_.var, iteration}});
    return statements_of(with_fresh_buffers(rename(all, names), taken_));
  }

  const For& loop_;
  const std::vector<Stmt>& list_;
  const size_t matmul_;
  const Symbol ring_;
  const KernelMemory& memory_;
  const std::unordered_map<Symbol, int>& uses_;
  std::unordered_map<Symbol, int>& taken_;
  std::vector<Stmt> fill_, use_;
  EarlyOperands out_;
};

}  // namespace

std::unordered_map<Symbol, int> buffer_uses(const Node& body, const BufferViews& views) {
  std::unordered_map<Symbol, int> out;
  for_each(body, [&](const Node& node) {
    for_each_use(node, [&](Symbol name) { ++out[views.base_of(name)]; });
  });
  return out;
}

EarlyOperands early_operands(const For& loop, const Seq& list, size_t matmul, Symbol ring,
                             const KernelMemory& memory,
                             const std::unordered_map<Symbol, int>& uses,
                             std::unordered_map<Symbol, int>& taken) {
  return Rotation(loop, list, matmul, ring, memory, uses, taken).run();
}

}  // namespace tilelab
