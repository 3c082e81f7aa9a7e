// SPDX-License-Identifier: Apache-2.0
#include "core/passes/simplify/simplify.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/analysis/bindings.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/intrinsics/intrinsics.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

constexpr int64_t kMaxAddresses = 16;  // for the addresses of one loop

bool is_plain(const For& loop) {
  return loop.mode == LoopMode::serial && loop.steps.empty() &&
         (!loop.step || is_int(loop.step, 1));
}

/// The derivative of an index by a name: by how much it grows with each step. Null where that is
/// not the same for all values of the name, as far as its form shows.
Expr growth(const Expr& e, Symbol name) {
  if (!mentions(e, name)) return int_const(0, e->type.dtype);
  if (as<Name>(e)) return int_const(1, e->type.dtype);
  if (const Cast* cast = as<Cast>(e)) {
    const Expr inner = growth(cast->a, name);
    return inner && is_integer(e->type.dtype) ? tilelab::cast(e->type.dtype, inner) : nullptr;
  }
  const Bin* bin = as<Bin>(e);
  if (!bin) return nullptr;
  const Expr a = growth(bin->a, name), b = growth(bin->b, name);
  if (!a || !b) return nullptr;
  if (bin->op == BinOp::add) return add(a, b);
  if (bin->op == BinOp::sub) return sub(a, b);
  if (bin->op != BinOp::mul) return nullptr;
  if (!mentions(bin->b, name)) return mul(a, bin->b);
  return mentions(bin->a, name) ? nullptr : mul(bin->a, b);
}

/// Whether the expression has a product that is not by a constant.
bool has_product(const Expr& e) {
  return any_of(*e, [](const Bin& bin) {
    return bin.op == BinOp::mul && !is_const(bin.a) && !is_const(bin.b);
  });
}

class LoopAddresses {
 public:
  LoopAddresses(const For& loop, std::unordered_map<Symbol, int>& taken)
      : loop_(loop), taken_(taken), changing_(names_bound_in(*loop.body)) {
    for_each(
        *loop.body, [&](const Assign& assign) { changing_.insert(assign.name); },
        [&](const Store& store) { changing_.insert(store.buffer); });
  }

  /// The statement with addresses in registers.
  Stmt inside(const Stmt& stmt) {
    if (const Do* effect = as<Do>(stmt))
      if (const Call* call = as<Call>(effect->call); call && call->intrinsic == Intrinsic::cp_async)
        return copy(stmt, *call);
    return map_stmts(stmt, [&](const Stmt& s) {
      const size_t depth = axes_.size();
      const bool each = each_;
      if (const For* loop = as<For>(s)) {
        const auto axis = unrolled_axis(*loop);
        if (axis) axes_.push_back(*axis);
        each_ &= axis.has_value();
      }
      if (as<While>(s) || as<Role>(s)) each_ = false;
      if (const If* branch = as<If>(s)) each_ &= !branch->else_ && stays_false(branch->cond);
      Stmt out = inside(s);
      axes_.resize(depth);
      each_ = each;
      return out;
    });
  }

  std::vector<Stmt> before() const {
    std::vector<Stmt> out;
    for (const Address& one : found_) {
      out.push_back(registers_for(one.axes, one.name, kRegister));
      const Expr first = simplify_index(substitute(one.value, {{loop_.var, loop_.lo}}), {});
      out.push_back(for_each_of(one.axes, store_in(one, first)));
    }
    return out;
  }
  std::vector<Stmt> after_iteration() const {
    std::vector<Stmt> out;
    for (const Address& one : found_)
      if (!one.stepped) out.push_back(for_each_of(one.axes, stepped(one)));
    return out;
  }
  int count() const { return int(found_.size()); }

 private:
  struct Address {
    Expr value, step;
    Axes axes;
    Symbol name;
    bool stepped = false;  // by the copy itself
  };
  static constexpr DType kRegister = DType::i64;  // which needs no extension at each copy

  static Expr in_register(const Address& one) {
    return load(one.name, kRegister, {position_of(one.axes)});
  }
  static Stmt store_in(const Address& one, const Expr& value) {
    return store(one.name, {point(position_of(one.axes))}, cast(kRegister, value));
  }
  static Stmt stepped(const Address& one) {
    return store_in(one, add(in_register(one), cast(kRegister, one.step)));
  }

  Stmt copy(const Stmt& stmt, const Call& call) {
    const Region* from = as<Region>(call.args[1]);
    if (!from || from->dims.size() != 1) return stmt;
    const size_t known = found_.size();
    const Expr moved = in_registers(from->dims[0].lo);
    if (!moved) return stmt;
    Region source(*from);
    source.dims[0].lo = moved;
    Call out(call);
    out.args[1] = make(std::move(source));
    Do effect(to<Do>(stmt));
    effect.call = make(std::move(out));
    const Stmt changed = at(stmt->span, make(std::move(effect)));
    if (found_.size() == known || !each_ || found_.back().axes != axes_) return changed;
    found_.back().stepped = true;
    return seq({changed, stepped(found_.back())});
  }

  /// Whether the condition, once false, is false in all later iterations: a copy below it runs in
  /// the first ones, one after another.
  bool stays_false(const Expr& cond) const {
    const Bin* bin = as<Bin>(cond);
    if (!bin) return false;
    if (bin->op == BinOp::land) return stays_false(bin->a) && stays_false(bin->b);
    if ((bin->op != BinOp::lt && bin->op != BinOp::le) || !is_steady(cond)) return false;
    const Expr a = growth(bin->a, loop_.var), b = growth(bin->b, loop_.var);
    const auto rise = a ? int_value(a) : std::nullopt, fall = b ? int_value(b) : std::nullopt;
    return rise && fall && *rise >= *fall;
  }

  /// The index with the part that changes with the loop in a register; null if it stays as it is.
  Expr in_registers(const Expr& index) {
    // Constant distances between the addresses of unrolled loops stay in the instructions.
    Linear separate, rest;
    for (const Linear::Term& term : linear_of(index).terms) {
      const Name* name = as<Name>(term.atom);
      const bool axis = name && std::any_of(axes_.begin(), axes_.end(),
                                            [&](const Axis& one) { return one.var == name->id; });
      (axis ? separate : rest).terms.push_back(term);
    }
    separate.constant = linear_of(index).constant;
    const DType dtype = index->type.dtype;
    const Expr value = expr_of(rest, dtype), step = growth(value, loop_.var);
    if (!step || is_int(step, 0) || !has_product(value)) return nullptr;
    const Axes axes = axes_in(value, axes_);
    if (mentions_any_axis(step) || !is_steady(step) || !is_steady(value)) return nullptr;
    if (tilelab::count(axes) > kMaxAddresses - used_ && !find(value, axes)) return nullptr;
    return add(in_register(entry(value, step, axes)), cast(kRegister, expr_of(separate, dtype)));
  }

  bool mentions_any_axis(const Expr& e) const { return !axes_in(e, axes_).empty(); }

  /// Whether only the loop's variable and those of unrolled loops change in it.
  bool is_steady(const Expr& e) const {
    std::set<Symbol> others = changing_;
    for (const Axis& axis : axes_) others.erase(axis.var);
    return !any_of(*e, [&](const ExprNode& node) {
      if (const Name* name = as<Name>(&node)) return others.count(name->id) != 0;
      if (const Load* load = as<Load>(&node)) return others.count(load->buffer) != 0;
      return node.kind == Kind::Region || node.kind == Kind::Call;
    });
  }

  const Address* find(const Expr& value, const Axes& axes) const {
    const auto it = std::find_if(found_.begin(), found_.end(), [&](const Address& one) {
      return !one.stepped && one.axes == axes && equal(one.value, value);
    });
    return it == found_.end() ? nullptr : &*it;
  }
  const Address& entry(const Expr& value, const Expr& step, const Axes& axes) {
    if (const Address* known = find(value, axes)) return *known;
    used_ += tilelab::count(axes);
    found_.push_back({value, step, axes, fresh_name("offset", taken_)});
    return found_.back();
  }

  const For& loop_;
  std::unordered_map<Symbol, int>& taken_;
  std::set<Symbol> changing_;  // names with other values in other places of the loop
  Axes axes_;                  // around the current statement
  bool each_ = true;           // it runs once for each combination of them, in the first iterations
  std::vector<Address> found_;
  int64_t used_ = 0;
};

}  // namespace

FuncRef step_addresses(const FuncRef& func, int& moved) {
  auto copies = [](const Call& call) { return call.intrinsic == Intrinsic::cp_async; };
  if (!any_of(*func->body, copies)) return func;
  std::unordered_map<Symbol, int> taken = names_in(*func);
  const Stmt body = rewrite_stmts(func->body, [&](const Stmt& s) -> Stmt {
    const For* loop = as<For>(s);
    if (!loop || !is_plain(*loop) || !any_of(*loop->body, copies)) return s;
    LoopAddresses addresses(*loop, taken);
    For out(*loop);
    const Stmt inside = addresses.inside(loop->body);
    if (addresses.count() == 0) return s;
    moved += addresses.count();
    std::vector<Stmt> iteration{inside}, all = addresses.before();
    for (Stmt& each : addresses.after_iteration()) iteration.push_back(std::move(each));
    out.body = at(loop->body->span, seq(std::move(iteration)));
    all.push_back(at(s->span, make(std::move(out))));
    return seq(std::move(all));
  });
  return moved ? with_body(func, body) : func;
}

}  // namespace tilelab
