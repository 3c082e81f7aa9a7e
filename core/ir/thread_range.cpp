// SPDX-License-Identifier: Apache-2.0
#include "core/ir/thread_range.h"

#include "core/ir/build.h"
#include "core/ir/fold.h"

namespace tilelab {
namespace {

constexpr int kMostLets = 32;  // that stand for one another

/// What an integer expression is for one thread; nothing if it reads more than the thread's index.
struct ThreadValue {
  const Substitution& lets;
  int64_t tid, lanes;

  std::optional<int64_t> operator()(const Expr& e, int depth = 0) const {
    if (auto value = int_value(e)) return value;
    if (const Name* name = as<Name>(e)) return of_name(name->id, depth);
    if (const Cast* cast = as<Cast>(e)) {
      if (!is_integer(cast->type.dtype) || !cast->type.scalar()) return std::nullopt;
      auto value = (*this)(cast->a, depth);
      return value ? int_value(tilelab::cast(cast->type.dtype, int_const(*value))) : value;
    }
    if (const Un* un = as<Un>(e); un && un->op != UnOp::bnot) {
      auto value = (*this)(un->a, depth);
      if (!value) return value;
      return un->op == UnOp::lnot ? *value == 0 : -*value;
    }
    const Bin* bin = as<Bin>(e);
    if (!bin || !bin->type.scalar() || is_float(bin->a->type.dtype)) return std::nullopt;
    auto a = (*this)(bin->a, depth), b = (*this)(bin->b, depth);
    if (!a || !b) return std::nullopt;
    return fold_int(bin->op, bin->a->type.dtype, *a, *b);
  }

  std::optional<int64_t> of_name(Symbol name, int depth) const {
    if (name == Symbol("tid")) return tid;
    if (lanes > 0 && name == Symbol("lane")) return tid % lanes;
    if (lanes > 0 && name == Symbol("warp")) return tid / lanes;
    auto let = lets.find(name);
    if (let == lets.end() || depth >= kMostLets) return std::nullopt;
    return (*this)(let->second, depth + 1);
  }
};

}  // namespace

std::optional<ThreadRange> threads_where(const Expr& condition, const ThreadRange& all,
                                         const Substitution& lets, int64_t lanes) {
  std::optional<ThreadRange> found;
  for (int64_t tid = all.lo; tid < all.hi; ++tid) {
    auto holds = ThreadValue{lets, tid, lanes}(condition);
    if (!holds) return std::nullopt;
    if (*holds == 0) continue;
    if (found && found->hi != tid) return std::nullopt;
    if (!found) found = ThreadRange{tid, tid};
    found->hi = tid + 1;
  }
  return found;
}

std::optional<ThreadRange> threads_of(const If& branch, bool else_, const ThreadRange& all) {
  return threads_where(else_ ? unary(UnOp::lnot, branch.cond) : branch.cond, all);
}

Expr thread_condition(const ThreadRange& range, const ThreadRange& all) {
  Expr tid = name_ref("tid", {DType::i32}), out;
  if (range.lo > all.lo) out = ge(tid, int_const(range.lo));
  if (range.hi < all.hi) out = land(out, lt(tid, int_const(range.hi)));
  return out ? out : bool_const(true);
}

bool has_tile_operation(const Stmt& stmt) {
  bool found = false;
  if (!stmt) return found;
  walk(*stmt, [&](const Node& node) {
    found |= node.kind == Kind::Parallel ||
             (group(node.kind) == Group::tile && node.kind != Kind::Record);
    return !found && group(node.kind) != Group::expr;
  });
  return found;
}

}  // namespace tilelab
