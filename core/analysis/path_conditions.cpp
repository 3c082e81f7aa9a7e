// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/path_conditions.h"

#include "core/ir/traverse.h"
#include "core/targets/target.h"

namespace tilelab {

void add_slacks(const Expr& condition, bool negated, std::vector<Linear>& out) {
  if (const Un* un = as<Un>(condition); un && un->op == UnOp::lnot)
    return add_slacks(un->a, !negated, out);
  const Bin* bin = as<Bin>(condition);
  if (!bin) return;
  if (bin->op == (negated ? BinOp::lor : BinOp::land)) {
    add_slacks(bin->a, negated, out);
    return add_slacks(bin->b, negated, out);
  }
  if (!is_compare(bin->op) || !is_integer(bin->a->type.dtype)) return;
  Linear less = linear_of(bin->b);  // b - a
  less.add(linear_of(bin->a), -1);
  Linear more;
  more.add(less, -1);
  auto keep = [&](Linear slack, int64_t constant) {
    slack.constant += constant;
    out.push_back(std::move(slack));
  };
  switch (bin->op) {
    case BinOp::lt: return negated ? keep(more, 0) : keep(less, -1);
    case BinOp::le: return negated ? keep(more, -1) : keep(less, 0);
    case BinOp::gt: return negated ? keep(less, 0) : keep(more, -1);
    case BinOp::ge: return negated ? keep(less, -1) : keep(more, 0);
    case BinOp::eq:
      if (!negated) keep(less, 0), keep(more, 0);
      return;
    default: return;
  }
}

FactContext::FactContext(const Func& func)
    : facts(RangeAnalysis::of(func)), lanes_(limits_of(func).lanes) {}

void FactContext::bind(const Let& let) {
  lets.erase(let.name);
  if (!is_integer(let.value->type.dtype)) return;
  facts.bind(let);
  const Expr value = substitute(let.value, lets);
  if (is_smaller(*value, kMaxLetSize)) lets.emplace(let.name, value);
}

void FactContext::enter(const Stmt& stmt) {
  if (const Kernel* kernel = as<Kernel>(stmt)) facts.enter(*kernel, lanes_);
  if (const For* loop = as<For>(stmt)) facts.enter(*loop);
  if (const Parallel* loop = as<Parallel>(stmt)) facts.enter(*loop);
  if (const Role* role = as<Role>(stmt)) facts.enter(*role);
}

std::optional<int64_t> constant_sum(Linear a, const Linear& b, int64_t factor) {
  a.add(b, factor);
  if (!a.is_constant()) return std::nullopt;
  return a.constant;
}

}  // namespace tilelab
