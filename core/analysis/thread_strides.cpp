// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/thread_strides.h"

#include <cstdlib>
#include <numeric>

#include "core/analysis/bindings.h"
#include "core/ir/build.h"

namespace tilelab {
namespace {

/// Integers whose sums are assumed not to wrap, as in index arithmetic.
bool is_index_type(const Type& type) {
  return type.scalar() && (type.dtype == DType::i32 || type.dtype == DType::i64);
}

constexpr int kMaxDepth = 64;  // nesting depth of definitions

/// Products with a factor below 2^20 do not overflow.
bool is_small(const Linear& sum) {
  constexpr int64_t most = int64_t{1} << 40;
  bool small = std::abs(sum.constant) < most;
  for (const Linear::Term& term : sum.terms) small &= std::abs(term.coefficient) < most;
  return small;
}

/// A dead initial value: the next statement that names the variable assigns another.
bool is_unread(const Seq& list, size_t at) {
  const Symbol name = to<Var>(list.stmts[at]).name;
  for (size_t next = at + 1; next < list.stmts.size(); ++next) {
    const Assign* assign = as<Assign>(list.stmts[next]);
    if (assign && assign->name == name) return !mentions(assign->value, name);
    auto is_it = [&](const auto& use) { return use == name; };
    if (any_of(
            *list.stmts[next], [&](const Name& use) { return is_it(use.id); },
            [&](const Assign& inside) { return is_it(inside.name); }))
      return false;
  }
  return true;
}

}  // namespace

bool is_made_of(const Expr& value, const std::unordered_set<Symbol>& fixed, Symbol other) {
  return !any_of(*value, [&](const ExprNode& e) {
    const Name* name = as<Name>(&e);
    return name ? !fixed.count(name->id) && !(other && name->id == other)
                : e.kind != Kind::Const && e.kind != Kind::Bin;
  });
}

ThreadStrides::ThreadStrides(const Kernel& kernel, const std::unordered_set<Symbol>& fixed,
                             const Substitution& lets)
    : fixed_(fixed), lets_(lets) {
  std::unordered_set<const Node*> unread;
  for_each(*kernel.body, [&](const StmtNode& node) { note(node, unread); });
  // Roles count threads from 0, so a variable from outside would have another thread index.
  if (contains<Role>(*kernel.body)) given_.clear();
  for (const auto& [name, given] : given_) stride_of(name);
}

const ThreadStride* ThreadStrides::of(Symbol name) const {
  const auto found = strides_.find(name);
  return found != strides_.end() && found->second ? &*found->second : nullptr;
}

void ThreadStrides::note(Symbol name, const Expr& value) {
  Given& given = given_[name];
  given.unknown |= !value || !is_index_type(value->type);
  given.values.push_back(value);
}

void ThreadStrides::note(const Node& node, std::unordered_set<const Node*>& unread) {
  if (const Seq* list = as<Seq>(&node)) {
    for (size_t i = 0; i < list->stmts.size(); ++i)
      if (as<Var>(list->stmts[i]) && is_unread(*list, i)) unread.insert(list->stmts[i].get());
  } else if (const Var* var = as<Var>(&node)) {
    given_[var->name].unknown |= var->dtype != DType::i32 && var->dtype != DType::i64;
    if (!unread.count(var)) note(var->name, var->init);
  } else if (const Let* let = as<Let>(&node)) {
    if (!lets_.count(let->name)) note(let->name, let->value);
  } else if (const Assign* assign = as<Assign>(&node)) {
    note(assign->name, assign->value);
  } else if (const For* loop = as<For>(&node); loop && loop->steps.empty()) {
    note(loop->var, loop->lo);
    given_[loop->var].steps.push_back(loop->step);
  } else if (const RingOp* op = as<RingOp>(&node)) {
    given_[op->slot].unknown = true;
  } else {
    for_each_bound(node, [&](Symbol name) { given_[name].unknown = true; });
  }
}

std::optional<ThreadStride> ThreadStrides::stride_of(Symbol name) {
  if (around_ >= kMaxDepth) return std::nullopt;
  const auto [at, fresh] = strides_.try_emplace(name);
  const auto given = given_.find(name);
  if (!fresh || given == given_.end() || given->second.unknown) return at->second;
  std::optional<ThreadStride> made;
  bool common = true;
  ++around_;
  for (const Expr& value : given->second.values) common = common && join(name, value, made);
  --around_;
  if (!common || !made) return std::nullopt;
  for (const Expr& by : given->second.steps) {
    const Linear sum = linear_of(by);
    made->step = std::gcd(made->step, sum.constant);
    for (const Linear::Term& term : sum.terms) made->step = std::gcd(made->step, term.coefficient);
  }
  if (made->step == 1 || !is_small(made->base)) return std::nullopt;
  return strides_[name] = made;
}

/// Joins the values so far of the name with `value`.
bool ThreadStrides::join(Symbol name, const Expr& value, std::optional<ThreadStride>& sofar) {
  const Linear sum = linear_of(substitute(value, lets_));
  const int64_t itself = sum.coefficient(name);
  if (itself != 0 && itself != 1) return false;
  ThreadStride found;
  found.base.constant = sum.constant;
  for (const Linear::Term& term : sum.terms) {
    const Name* atom = as<Name>(term.atom);
    if (!(atom && atom->id == name) && !add(term, found)) return false;
  }
  if (!sofar) {
    sofar = itself == 0 ? found : ThreadStride{};
    return itself == 0;
  }
  sofar->step = std::gcd(sofar->step, found.step);
  if (itself == 0) found.base.add(sofar->base, -1);
  sofar->step = std::gcd(sofar->step, found.base.constant);
  for (const Linear::Term& term : found.base.terms)
    sofar->step = std::gcd(sofar->step, term.coefficient);
  return sofar->step != 1;
}

bool ThreadStrides::add(const Linear::Term& term, ThreadStride& to) {
  if (is_made_of(term.atom, fixed_, "tid")) {
    Linear one;
    one.terms.push_back(term);
    to.base.add(one, 1);
    return true;
  }
  const Name* name = as<Name>(term.atom);
  const auto other = name ? stride_of(name->id) : std::nullopt;
  if (!other) {
    to.step = std::gcd(to.step, term.coefficient);
    return to.step != 1;
  }
  const int64_t most = int64_t{1} << 20;  // products below do not overflow
  if (std::abs(term.coefficient) > most || std::abs(other->step) > most) return false;
  to.base.add(other->base, term.coefficient);
  to.step = std::gcd(to.step, term.coefficient * other->step);
  return to.step != 1;
}

}  // namespace tilelab
