// SPDX-License-Identifier: Apache-2.0
#include "tests/mutants/pass_bug_sites.h"

#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/ir/text/print.h"
#include "core/ir/tile_op.h"
#include "core/ir/traverse.h"

namespace tilelab::test {
namespace {

bool is_integer(const Expr& e) {
  return e && e->type.lanes == 1 && (e->type.dtype == DType::i32 || e->type.dtype == DType::i64);
}

/// Ordering operations: a wait, a barrier, an arrival, a commit, a fence, a step of a ring.
bool orders(const Stmt& stmt) {
  const Expr* value = nullptr;
  if (as<RingOp>(stmt)) return true;
  if (const Do* d = as<Do>(stmt)) value = &d->call;
  if (const Let* let = as<Let>(stmt)) value = &let->value;
  const Call* call = value ? as<Call>(*value) : nullptr;
  return call && info(call->intrinsic).orders();
}

std::string shown(const Stmt& stmt) {
  if (const Do* d = as<Do>(stmt)) return print(d->call);
  if (const Let* let = as<Let>(stmt)) return let->name.str() + " = " + print(let->value);
  if (const Store* s = as<Store>(stmt)) return s->buffer.str() + "[...] = " + print(s->value);
  if (const Assign* a = as<Assign>(stmt)) return a->name.str() + " = " + print(a->value);
  if (const Buffer* b = as<Buffer>(stmt)) return "buffer " + b->name.str();
  if (const RingOp* r = as<RingOp>(stmt)) return r->ring.str() + " " + std::string(name(r->op));
  return name(stmt->kind);
}

/// The name that a statement gives a number which no memory has a part in, and the number.
std::pair<Symbol, Expr> cursor(const Stmt& stmt) {
  Symbol name;
  Expr value;
  if (const Let* let = as<Let>(stmt)) name = let->name, value = let->value;
  if (const Assign* assign = as<Assign>(stmt)) name = assign->name, value = assign->value;
  if (value)
    walk(*value, [&](const Node& node) {
      if (node.kind == Kind::Load || node.kind == Kind::Call) value = nullptr;
      return bool(value);
    });
  return {name, value};
}

/// Whether the two in the other order are the same program: one counts on, the other does not ask.
bool commute(const Stmt& a, const Stmt& b) {
  const auto [name, value] = cursor(a);
  const auto [other, of_other] = cursor(b);
  return value && other != name && !mentions(*b, name) && !(of_other && mentions(value, other));
}

bool in_order(BinOp op) {
  return op == BinOp::sub || op == BinOp::div || op == BinOp::floordiv || op == BinOp::floormod ||
         op == BinOp::tdiv || op == BinOp::tmod || op == BinOp::shl || op == BinOp::shr ||
         op == BinOp::lt || op == BinOp::le || op == BinOp::gt || op == BinOp::ge;
}

/// A type that holds less.
DType narrower(DType dtype) {
  if (dtype == DType::f64 || dtype == DType::f32) return DType::f16;
  if (is_float(dtype)) return DType::e5m2;
  return DType::i8;
}

/// Walks in one order; the place number `wanted` is changed.
class Mutator {
 public:
  explicit Mutator(size_t wanted) : wanted_(wanted) {}

  Stmt stmt(const Stmt& s) {
    if (const Seq* seq = as<Seq>(s)) return sequence(*seq);
    Stmt inner = map_children(
        s, [&](const Expr& e) { return expr(e); }, [&](const Stmt& child) { return stmt(child); });
    return own(inner);
  }

  size_t seen() const { return seen_; }
  std::string kind, what;

 private:
  bool here(const char* kind_of_bug, const std::string& text) {
    if (seen_++ != wanted_) return false;
    kind = kind_of_bug, what = text;
    return true;
  }

  Stmt sequence(const Seq& seq) {
    std::vector<Stmt> out;
    for (size_t i = 0; i < seq.stmts.size(); ++i) {
      const Stmt& s = seq.stmts[i];
      const std::string after = i > 0 ? " after " + shown(seq.stmts[i - 1]) : "";
      if (orders(s) && !as<Let>(s) && here("drop", shown(s) + after)) continue;
      out.push_back(stmt(s));
      const bool pair = i > 0 && out.size() > 1 && (orders(s) || orders(seq.stmts[i - 1])) &&
                        !commute(s, seq.stmts[i - 1]) && !commute(seq.stmts[i - 1], s);
      if (pair && here("move", shown(s) + " before " + shown(seq.stmts[i - 1])))
        std::swap(out[out.size() - 1], out[out.size() - 2]);
    }
    return tilelab::seq(std::move(out));
  }

  /// e + 1 or e - 1; `of`: what it belongs to.
  Expr off(const char* bug, const std::string& of, const Expr& e) {
    for (int64_t by : {1, -1})
      if (here(bug, of + ": " + print(e) + (by > 0 ? " + 1" : " - 1")))
        return add(e, int_const(by, e->type.dtype));
    return e;
  }
  void off(const char* bug, const char* of, int64_t& n) {
    for (int64_t by : {1, -1})
      if (here(bug, of + (" " + std::to_string(n)) + (by > 0 ? " + 1" : " - 1"))) n += by;
  }
  void turned(const char* of, bool& b) {
    if (here("operands", of)) b = !b;
  }

  /// The sites of a statement itself, without its children.
  Stmt own(const Stmt& s) {
    if (const If* branch = as<If>(s))
      return here("predicate", print(branch->cond)) ? branch->then_ : s;
    if (const For* loop = as<For>(s)) return bounds(*loop, s);
    if (const Store* store = as<Store>(s)) {
      Store out(*store);
      for (RegionDim& dim : out.dims) dim.lo = off("index", shown(s), dim.lo);
      return make(std::move(out));
    }
    if (const Buffer* buffer = as<Buffer>(s)) return memory(*buffer);
    if (const Ring* ring = as<Ring>(s)) {
      Ring out(*ring);
      off("count", "arrivals", out.arrivals), off("count", "bytes", out.bytes);
      off("count", "stages", out.stages), off("count", "lag", out.lag);
      return make(std::move(out));
    }
    if (const TensorMap* map = as<TensorMap>(s); map && map->swizzle.known()) {
      TensorMap out(*map);
      if (here("swizzle", map->name.str())) out.swizzle.mask /= 2;
      return make(std::move(out));
    }
    return tile(s);
  }

  Stmt bounds(const For& loop, const Stmt& s) {
    if (!loop.steps.empty()) return s;
    For out(loop);
    const std::string of = "for " + loop.var.str();
    out.lo = off("count", of, out.lo), out.hi = off("count", of, out.hi);
    return make(std::move(out));
  }

  Stmt memory(const Buffer& buffer) {
    Buffer out(buffer);
    if (buffer.scope == Scope::barrier) off("count", "arrivals", out.count);
    if (buffer.swizzle.known()) {
      if (here("swizzle", "none of " + buffer.name.str())) out.swizzle = {};
      if (here("swizzle", "less of " + buffer.name.str())) out.swizzle.mask /= 2;
    }
    if (buffer.scope == Scope::shared && buffer.at >= 0 &&
        here("index", "at of " + buffer.name.str()))
      out.at += 16;
    return make(std::move(out));
  }

  Stmt tile(const Stmt& s) {
    if (const Gemm* gemm = as<Gemm>(s)) {
      Gemm out(*gemm);
      turned("transposed A", out.trans_a), turned("transposed B", out.trans_b);
      if (here("operands", "A and B")) std::swap(out.a, out.b);
      if (out.clear && here("predicate", "clear")) out.clear = bool_const(!is_int(out.clear, 1));
      if (gemm->wait >= 0) off("count", "wait", out.wait);
      return make(std::move(out));
    }
    if (const Reduce* reduce = as<Reduce>(s)) {
      Reduce out(*reduce);
      turned("clear of reduce", out.clear);
      return make(std::move(out));
    }
    if (const Scan* scan = as<Scan>(s)) {
      Scan out(*scan);
      turned("reverse", out.reverse);
      return make(std::move(out));
    }
    return s;
  }

  Expr expr(const Expr& e) {
    Expr inner = map_children(e, [&](const Expr& child) { return expr(child); });
    if (const Load* load = as<Load>(inner)) {
      Load out(*load);
      for (Expr& index : out.index) index = off("index", print(inner), index);
      return make(std::move(out));
    }
    if (const Region* region = as<Region>(inner)) {
      Region out(*region);
      for (RegionDim& dim : out.dims) dim.lo = off("index", print(inner), dim.lo);
      return make(std::move(out));
    }
    if (const Call* call = as<Call>(inner)) return arguments(*call, inner);
    if (const Bin* bin = as<Bin>(inner)) return binary_of(*bin, inner);
    if (const Select* select = as<Select>(inner))
      return here("predicate", print(select->cond)) ? select->a : inner;
    if (const Cast* cast_of = as<Cast>(inner)) {
      const bool wide = cast_of->a->type.dtype != DType::bool_ && inner->type.dtype != DType::bool_;
      if (wide && here("cast", print(inner)))
        return cast(inner->type.dtype, cast(narrower(inner->type.dtype), cast_of->a));
    }
    return inner;
  }

  Expr binary_of(const Bin& bin, const Expr& e) {
    if (bin.op == BinOp::land) {
      if (here("predicate", print(bin.a))) return bin.b;
      if (here("predicate", print(bin.b))) return bin.a;
    }
    if (in_order(bin.op) && here("operands", print(e))) return binary(bin.op, bin.b, bin.a);
    return e;
  }

  /// Phases, counts, bytes and coordinates that an intrinsic of machines gets; factors of an fma.
  Expr arguments(const Call& call, const Expr& e) {
    Call out(call);
    if (call.intrinsic == Intrinsic::fma && here("operands", print(e))) {
      std::swap(out.args[1], out.args[2]);
      return make(std::move(out));
    }
    if (call.intrinsic == Intrinsic::guard && here("predicate", print(e))) return bool_const(true);
    if (info(call.intrinsic).pure()) return e;
    for (Expr& argument : out.args) {
      if (is_integer(argument)) argument = off("count", print(e), argument);
      if (const Vec* list = as<Vec>(argument); list && list->op == VecOp::list) {
        Vec coordinates(*list);
        for (Expr& part : coordinates.parts)
          if (is_integer(part)) part = off("index", print(e), part);
        argument = make(std::move(coordinates));
      }
    }
    return make(std::move(out));
  }

  size_t wanted_, seen_ = 0;
};

}  // namespace

size_t pass_bug_sites(const FuncRef& func) {
  Mutator mutator(size_t(-1));
  mutator.stmt(func->body);
  return mutator.seen();
}

PassBug pass_bug_at(const FuncRef& func, size_t site) {
  Mutator mutator(site);
  Func out(*func);
  out.body = mutator.stmt(func->body);
  return {mutator.kind, mutator.what, make(std::move(out))};
}

}  // namespace tilelab::test
