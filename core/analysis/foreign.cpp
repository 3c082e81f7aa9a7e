// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/foreign.h"

#include "core/analysis/dead_code.h"
#include "core/ir/build.h"
#include "core/ir/fold.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

/// Replaces `native` by a constant and drops the branches that this excludes. Passes may have named
/// a condition that contains it.
class Choice {
 public:
  explicit Choice(bool native) : native_(bool_const(native)) {}

  Stmt operator()(const Stmt& body) {
    return rewrite(
        body, [&](const Expr& e) { return chosen(e); }, [&](const Stmt& s) { return chosen(s); });
  }

 private:
  Expr chosen(const Expr& e) const {
    if (const Call* call = as<Call>(e)) return call->intrinsic == Intrinsic::native ? native_ : e;
    if (const Name* name = as<Name>(e)) {
      const auto known = known_.find(name->id);
      return known == known_.end() ? e : known->second;
    }
    const Bin* bin = as<Bin>(e);
    if (bin && is_logical(bin->op)) return logical(e, *bin);
    const Un* un = as<Un>(e);
    const Expr folded = un ? fold(*un) : nullptr;
    return folded ? folded : e;
  }

  static Expr logical(const Expr& e, const Bin& bin) {
    for (const bool first : {true, false}) {
      const auto value = int_value(first ? bin.a : bin.b);
      if (!value) continue;
      const bool decides = (*value != 0) == (bin.op == BinOp::lor);
      return decides ? bool_const(*value != 0) : first ? bin.b : bin.a;
    }
    return e;
  }

  Stmt chosen(const Stmt& s) {
    const Let* let = as<Let>(s);
    if (let && let->value->type == Type{DType::bool_} && int_value(let->value))
      known_[let->name] = let->value;
    const If* branch = as<If>(s);
    const auto holds = branch ? int_value(branch->cond) : std::nullopt;
    if (!holds) return s;
    const Stmt& taken = *holds ? branch->then_ : branch->else_;
    return taken ? taken : seq({});
  }

  const Expr native_;
  Substitution known_;  // names of constant conditions
};

}  // namespace

bool is_native(const If& branch) {
  const Call* call = as<Call>(branch.cond);
  return call && call->intrinsic == Intrinsic::native;
}

bool has_hosted_calls(const Func& func) {
  return any_of(*func.body, [](const Call& call) {
    return call.intrinsic == Intrinsic::foreign && find_attr(call.attrs, "host");
  });
}

Func with_foreign_calls(const Func& func, bool native) {
  Func out(func);
  out.body = eliminate_dead_code(Choice(native)(func.body));
  return out;
}

bool has_foreign_calls(const Func& func) {
  return calls(*func.body, {Intrinsic::native, Intrinsic::foreign});
}

}  // namespace tilelab
