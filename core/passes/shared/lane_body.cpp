// SPDX-License-Identifier: Apache-2.0
#include "core/passes/shared/lane_body.h"

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/intrinsics/intrinsics.h"
#include "core/ir/traverse.h"
#include "core/passes/vectorize/vectorize.h"

namespace tilelab {
namespace {

/// Replaces comparisons and divisions of lanes in a marked loop by those of the whole vector: with
/// var in [0, n), aligned lanes are in one multiple of n, so if n divides x and c:
///   (x + var) // c = x // c    (x + var) % c = x % c + var    (x + var < c) = (x < c), also for >=
class WithoutLanes {
 public:
  WithoutLanes(const For& loop, const RangeAnalysis& facts)
      : var_(loop.var), n_(loop.vec), facts_(facts) {
    facts_.enter(loop);
  }

  Expr of(const Expr& e) const {
    return rewrite(e, [&](const Expr& each) {
      const Bin* bin = as<Bin>(each);
      const bool divides = bin && (bin->op == BinOp::floordiv || bin->op == BinOp::floormod);
      if (!divides && !(bin && (bin->op == BinOp::lt || bin->op == BinOp::ge))) return each;
      if (!mentions(each, var_)) return each;
      return divides ? divided(*bin, each) : compared(*bin, each);
    });
  }

  Stmt of(const Stmt& stmt) const {
    return map_children(
        stmt, [&](const Expr& e) { return of(e); }, [&](const Stmt& s) { return of(s); });
  }

 private:
  Expr at_first(const Expr& e) const {
    return simplify_index(substitute(e, {{var_, int_const(0)}}), facts_);
  }

  /// Whether the sum is the lane plus a multiple of the width.
  bool aligned(Linear sum) const {
    if (sum.coefficient(var_) != 1 || sum.nested(var_)) return false;
    sum.add(linear_of(name_ref(var_)), -1);
    return facts_.range(sum).multiple % n_ == 0;
  }

  Expr divided(const Bin& bin, const Expr& e) const {
    const auto by = int_value(bin.b);
    if (!by || *by <= 0 || *by % n_ != 0 || !aligned(linear_of(bin.a))) return e;
    Expr same = binary(bin.op, at_first(bin.a), bin.b);
    return bin.op == BinOp::floormod ? add(same, name_ref(var_)) : same;
  }

  Expr compared(const Bin& bin, const Expr& e) const {
    const DType dtype = bin.a->type.dtype;
    if (dtype != DType::i32 && dtype != DType::i64) return e;
    Linear a = linear_of(bin.a), b = linear_of(bin.b), difference = a;
    difference.add(b, -1);
    const bool whole = facts_.exact(a, dtype) && facts_.exact(b, dtype);
    return whole && aligned(difference) ? at_first(e) : e;
  }

  Symbol var_;
  int64_t n_;
  RangeAnalysis facts_;
};

/// Converts the statements of a body to the form of a LaneBody.
class BodyMaker {
 public:
  BodyMaker(const For& loop, const RangeAnalysis& facts, std::unordered_map<Symbol, int>& taken)
      : loop_(loop), alike_(loop, facts), taken_(taken) {}

  std::optional<LaneBody> run() {
    int effects = 0;
    for_each(*loop_.body, [&](const Node& node) {
      if (const Name* name = as<Name>(&node)) ++uses_[name->id];
      effects += node.kind == Kind::Store || node.kind == Kind::Do || node.kind == Kind::Assign;
      effects += node.kind == Kind::For;  // counts as several effects
    });
    one_effect_ = effects == 1;
    Stmt body = of(loop_.body);
    if (!body) return std::nullopt;
    return LaneBody{std::move(body), std::move(arrays_)};
  }

 private:
  Expr of(const Expr& e) const { return alike_.of(substitute(e, named_)); }

  /// Null if a LaneBody cannot represent it.
  Stmt of(const Stmt& stmt) {
    if (const Let* let = as<Let>(stmt)) return named(*let, stmt);
    if (const Var* var = as<Var>(stmt)) return variable(*var, stmt->span);
    if (const Assign* assign = as<Assign>(stmt)) return at(stmt->span, assigned(*assign));
    if (const If* branch = as<If>(stmt)) return at(stmt->span, chosen(*branch));
    if (const For* loop = as<For>(stmt)) return at(stmt->span, repeated(*loop));
    if (const Seq* list = as<Seq>(stmt)) {
      std::vector<Stmt> out;
      for (const Stmt& each : list->stmts) {
        Stmt made = of(each);
        if (!made) return nullptr;
        out.push_back(std::move(made));
      }
      return seq(std::move(out));
    }
    const auto effect = vector_effect(stmt);
    if (!effect || (effect->call && repeats_ > 0)) return nullptr;
    return alike_.of(substitute(stmt, named_));
  }

  /// Interchanges a nested loop with the lanes, if its bounds are uniform for all lanes.
  Stmt repeated(const For& loop) {
    For out(loop);
    bool same = loop_.mode != LoopMode::vec && loop.mode != LoopMode::vec && loop.vec == 0;
    for (Expr* bound : {&out.lo, &out.hi, &out.step}) {
      if (!*bound) continue;
      *bound = of(*bound);
      same &= !mentions(*bound, loop_.var) && !reads_memory(*bound);
    }
    if (!same) return nullptr;
    ++repeats_;
    out.body = of(loop.body);
    --repeats_;
    return out.body ? Stmt(make(std::move(out))) : nullptr;
  }

  /// A variable of an iteration becomes an array element per lane.
  Stmt variable(const Var& var, Span span) {
    const Symbol lanes = array(var.name, var.dtype, span);
    variables_[var.name] = lanes;
    if (!var.init) return seq({});
    return at(span, store(lanes, {point(lane())}, of(var.init)));
  }

  Stmt assigned(const Assign& assign) {
    const auto found = variables_.find(assign.name);
    if (found == variables_.end()) return nullptr;
    return store(found->second, {point(lane())}, of(assign.value));
  }

  Expr lane() const { return name_ref(loop_.var); }

  /// Registers for the lanes' values of a name.
  Symbol array(Symbol name, DType dtype, Span span) {
    const Symbol out = fresh_name(name.str() + "_v", taken_);
    Buffer lanes = new_buffer(out, Scope::local, dtype, {loop_.hi});
    named_[name] = load(lanes, {lane()});
    arrays_.push_back(at(span, make(std::move(lanes))));
    return out;
  }

  Stmt chosen(const If& branch) {
    If out(branch);
    out.cond = of(branch.cond);
    out.then_ = of(branch.then_);
    if (branch.else_) out.else_ = of(branch.else_);
    if (!out.then_ || (branch.else_ && !out.else_)) return nullptr;
    return chosen_inside(std::move(out));
  }

  /// Hoists a bounds check common to all branches; merges two stores to the same element.
  static Stmt chosen_inside(If branch) {
    const If *a = as<If>(only_statement(branch.then_)),
             *b = branch.else_ ? as<If>(only_statement(branch.else_)) : a;
    const bool can_hoist = branch.else_ || reads_memory(branch.cond);
    if (can_hoist && a && b && !a->else_ && !b->else_ && equal(a->cond, b->cond) &&
        !reads_memory(a->cond)) {
      const Expr border = a->cond;
      const Stmt then_ = a->then_, else_ = branch.else_ ? b->then_ : nullptr;
      branch.then_ = then_, branch.else_ = else_;
      return if_then(border, chosen_inside(std::move(branch)));
    }
    if (!branch.else_) return split_condition(std::move(branch));
    const Store *x = as<Store>(only_statement(branch.then_)),
                *y = as<Store>(only_statement(branch.else_));
    if (!x || !y || !same_place(*x, *y)) return make(std::move(branch));
    return store(x->buffer, x->dims, select(branch.cond, x->value, y->value));
  }

  /// Splits a bounds check and a following test of data into two branches.
  static Stmt split_condition(If branch) {
    const Bin* both = as<Bin>(branch.cond);
    if (!both || both->op != BinOp::land || reads_memory(both->a) || !reads_memory(both->b))
      return make(std::move(branch));
    return if_then(both->a, if_then(both->b, branch.then_));
  }

  static bool same_place(const Store& a, const Store& b) {
    if (a.buffer != b.buffer || a.dims.size() != b.dims.size()) return false;
    for (size_t d = 0; d < a.dims.size(); ++d)
      if (a.dims[d].extent != 1 || b.dims[d].extent != 1 || !equal(a.dims[d].lo, b.dims[d].lo))
        return false;
    return true;
  }

  static bool reads_memory(const Expr& e) { return !effects(e).empty(); }

  /// Substitutes a let if its value reads no memory, or if the only effect uses it once; otherwise
  /// memory would be read twice.
  Stmt named(const Let& let, const Stmt& self) {
    bool writes = false;
    for (const Effect& each : effects(let.value)) writes |= each.write;
    if (writes || !let.value->type.scalar() || !is_pure(let.value)) return nullptr;
    Expr value = of(let.value);
    const bool once = one_effect_ && uses_[let.name] <= 1;
    if ((once || !reads_memory(value)) && is_smaller(*value, kMaxLetSize)) {
      named_[let.name] = std::move(value);
      return seq({});
    }
    if (!mentions(value, loop_.var)) {
      Let out(let);
      out.value = std::move(value);
      return at(self->span, make(std::move(out)));
    }
    const Symbol lanes = array(let.name, value->type.dtype, self->span);
    return at(self->span, store(lanes, {point(lane())}, std::move(value)));
  }

  const For& loop_;
  const WithoutLanes alike_;
  std::unordered_map<Symbol, int>& taken_;
  std::unordered_map<Symbol, int> uses_;
  bool one_effect_ = false;
  int repeats_ = 0;  // enclosing loops
  Substitution named_;
  std::unordered_map<Symbol, Symbol> variables_;  // their arrays
  std::vector<Stmt> arrays_;
};

}  // namespace

std::optional<LaneBody> lane_body(const For& loop, const RangeAnalysis& facts,
                                  std::unordered_map<Symbol, int>& taken) {
  return BodyMaker(loop, facts, taken).run();
}

}  // namespace tilelab
