// SPDX-License-Identifier: Apache-2.0
#include "core/passes/one_effect.h"

#include "core/ir/build.h"
#include "core/ir/effects.h"
#include "core/ir/traverse.h"
#include "core/passes/vectorize.h"

namespace tilelab {
namespace {

/// Of what a marked loop compares and divides, that of its vector: with var in [0, n), aligned
/// lanes lie in one multiple of n, so that with n dividing x and c
///   (x + var) // c = x // c    (x + var) % c = x % c + var    (x + var < c) = (x < c)
class WithoutLanes {
 public:
  WithoutLanes(const For& loop, const Facts& facts) : var_(loop.var), n_(loop.vec), facts_(facts) {
    facts_.enter(loop);
  }

  Expr of(const Expr& e) const {
    return rewrite(e, [&](const Expr& each) {
      const Bin* bin = as<Bin>(each);
      if (!bin || !mentions(each, var_)) return each;
      if (bin->op == BinOp::lt) return compared(*bin, each);
      const bool divides = bin->op == BinOp::floordiv || bin->op == BinOp::floormod;
      return divides ? divided(*bin, each) : each;
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

  /// Whether it is the lane and a multiple of the width.
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
  Facts facts_;
};

}  // namespace

For of_one_effect(const For& loop, const Facts& facts) {
  const Seq* list = as<Seq>(loop.body);
  const WithoutLanes alike(loop, facts);
  Substitution named;
  for (size_t i = 0; list && i + 1 < list->stmts.size(); ++i) {
    const Let* let = as<Let>(list->stmts[i]);
    if (!let || !effects(let->value).empty()) return loop;
    named[let->name] = alike.of(substitute(let->value, named));
  }
  if (list && list->stmts.empty()) return loop;
  For out(loop);
  const Stmt whole = substitute(list ? list->stmts.back() : loop.body, named);
  if (!named.empty() && !vector_effect(whole)) return loop;
  out.body = alike.of(whole);
  return out;
}

}  // namespace tilelab
