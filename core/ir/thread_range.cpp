// SPDX-License-Identifier: Apache-2.0
#include "core/ir/thread_range.h"

#include "core/ir/build.h"
#include "core/ir/linear.h"

namespace tilelab {
namespace {

constexpr int kMaxLets = 32;  // nested definitions

/// The values of the names in a condition for one thread. Each let is evaluated once.
class ThreadNames {
 public:
  ThreadNames(const Substitution& lets, int64_t tid, int64_t lanes)
      : lets_(lets), tid_(tid), lanes_(lanes) {}

  std::optional<int64_t> operator()(Symbol name) {
    if (name == Symbol("tid")) return tid_;
    if (lanes_ > 0 && name == Symbol("lane")) return tid_ % lanes_;
    if (lanes_ > 0 && name == Symbol("warp")) return tid_ / lanes_;
    auto let = lets_.find(name);
    if (let == lets_.end() || depth_ >= kMaxLets) return std::nullopt;
    if (auto known = known_.find(name); known != known_.end()) return known->second;
    ++depth_;
    const auto value = evaluate(let->second, *this);
    --depth_;
    known_.emplace(name, value);
    return value;
  }

 private:
  const Substitution& lets_;
  int64_t tid_, lanes_;
  int depth_ = 0;
  std::unordered_map<Symbol, std::optional<int64_t>> known_;
};

}  // namespace

std::optional<ThreadRange> threads_where(const Expr& condition, const ThreadRange& all,
                                         const Substitution& lets, int64_t lanes) {
  std::optional<ThreadRange> found;
  for (int64_t tid = all.lo; tid < all.hi; ++tid) {
    ThreadNames names(lets, tid, lanes);
    auto holds = evaluate(condition, names);
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

void conjuncts(const Expr& condition, std::vector<Expr>& out) {
  if (const Bin* bin = as<Bin>(condition); bin && bin->op == BinOp::land) {
    conjuncts(bin->a, out);
    conjuncts(bin->b, out);
  } else if (const Call* c = as<Call>(condition); c && c->intrinsic == Intrinsic::guard) {
    conjuncts(c->args[0], out);
  } else {
    out.push_back(condition);
  }
}

Expr thread_condition(const ThreadRange& range, const ThreadRange& all) {
  Expr tid = name_ref("tid", {DType::i32}), out;
  if (range.lo > all.lo) out = ge(tid, int_const(range.lo));
  if (range.hi < all.hi) out = land(out, lt(tid, int_const(range.hi)));
  return out ? out : bool_const(true);
}

bool has_tile_operation(const Stmt& stmt) {
  return stmt && any_of(*stmt, [](const StmtNode& node) {
           return node.kind == Kind::Parallel ||
                  (group(node.kind) == Group::tile && node.kind != Kind::Record);
         });
}

}  // namespace tilelab
