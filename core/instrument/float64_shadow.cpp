// SPDX-License-Identifier: Apache-2.0
#include "core/instrument/float64_shadow.h"

#include <algorithm>
#include <unordered_map>

#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

struct Unable {
  Span where;
  std::string why;
};

DType widened(DType dtype) { return is_float(dtype) ? DType::f64 : dtype; }
Type widened(Type type) { return {widened(type.dtype), type.lanes}; }

class Widen {
 public:
  Widen(const Func& func, FunctionRef<bool(const Span&)> rounds)
      : rounds_(rounds), buffers_(buffers_of(func)), taken_(names_in(func)) {
    for_each(func, [&](const View& view) { views_[view.name] = &view; });
  }

  Func run(const Func& func) {
    Func out(func);
    for (Stmt& param : out.params) param = statement(param);
    out.body = statement(out.body);
    return out;
  }

  std::vector<Span> rounded_, fast_;

 private:
  // ---- expressions

  Expr rounded(Expr value, DType to) {
    if (!is_float(to) || to == DType::f64 || is_const(value)) return value;
    may_round_ = true;
    return rounding_ ? cast(DType::f64, cast(to, std::move(value))) : value;
  }

  Expr expr(const Expr& e) {
    if (!e) return e;
    const DType dtype = e->type.dtype;
    if (const Const* c = as<Const>(e)) {
      if (!is_float(dtype)) return e;
      return constant(widened(e->type), encode_float(DType::f64, decode_float(dtype, c->bits)));
    }
    if (const Name* name = as<Name>(e)) return name_ref(name->id, widened(e->type));
    if (const Cast* c = as<Cast>(e)) return converted(*c);
    if (const Call* c = as<Call>(e)) return called(*c);
    if (const Bin* bin = as<Bin>(e)) {
      Expr made = binary(bin->op, expr(bin->a), expr(bin->b));
      return is_float(dtype) ? rounded(std::move(made), dtype) : made;
    }
    if (const Load* l = as<Load>(e)) {
      std::vector<Expr> index;
      for (const Expr& i : l->index) index.push_back(expr(i));
      return load(l->buffer, widened(dtype), std::move(index));
    }
    if (const Region* r = as<Region>(e)) {
      std::vector<RegionDim> dims = r->dims;
      for (RegionDim& dim : dims) dim.lo = expr(dim.lo);
      return region(r->buffer, widened(dtype), std::move(dims));
    }
    Expr made = map_children(e, [&](const Expr& child) { return expr(child); });
    if (!is_float(dtype)) return made;
    return visit(*made, [&](const auto& node) -> Expr {
      using T = std::remove_cvref_t<decltype(node)>;
      if constexpr (std::is_same_v<typename T::NodeBase, ExprNode>) {
        T copy(node);
        copy.type = widened(copy.type);
        return make(std::move(copy));
      }
      return made;
    });
  }

  Expr converted(const Cast& c) {
    Expr made = expr(c.a);
    if (!is_float(c.type.dtype)) return cast(c.type.dtype, std::move(made));
    return rounded(cast(DType::f64, std::move(made)), c.type.dtype);
  }

  /// A rounding function is computed in the kernel's dtype, with its error.
  Expr called(const Call& c) {
    if (c.intrinsic == Intrinsic::bits) throw Unable{span_, "it accesses the bits of a number"};
    const std::string name = tilelab::name(c.intrinsic);
    if (name.starts_with("fast_")) is_fast_ = true;
    const bool counts = is_float(c.type.dtype) && info(c.intrinsic).pure();
    if (counts && c.type.dtype != DType::f64) may_round_ = true;
    std::vector<Expr> args;
    for (const Expr& arg : c.args) {
      Expr made = expr(arg);
      const bool narrow = counts && rounding_ && is_float(arg->type.dtype);
      args.push_back(narrow ? cast(arg->type.dtype, std::move(made)) : std::move(made));
    }
    const Type type = counts && rounding_ ? c.type : widened(c.type);
    return cast(widened(c.type.dtype), call(c.intrinsic, type, std::move(args), c.attrs));
  }

  // ---- statements

  Stmt statement(const Stmt& s) {
    if (!s) return s;
    const Span outer = span_;
    if (s->span.known()) span_ = s->span;
    Stmt made = visit(*s, [&](const auto& node) { return made_of(node, s); });
    made = at(s->span, made);
    span_ = outer;
    return made;
  }

  /// Builds a statement that may round, and records it.
  template <class F> Stmt effect(F&& f) {
    rounding_ = rounds_(span_);
    may_round_ = is_fast_ = false;
    Stmt made = f();
    if (may_round_) rounded_.push_back(span_);
    if (is_fast_) fast_.push_back(span_);
    rounding_ = false;
    return made;
  }

  template <class Other> Stmt made_of(const Other&, const Stmt& s) {
    return map_children(
        s, [&](const Expr& e) { return expr(e); },
        [&](const Stmt& child) { return statement(child); });
  }
  Stmt made_of(const Record&, const Stmt&) { return seq({}); }
  Stmt made_of(const Param& param, const Stmt&) {
    Param out(param);
    out.dtype = widened(param.dtype);
    out.tensor = statement(param.tensor);
    return make(std::move(out));
  }
  Stmt made_of(const Buffer& buffer, const Stmt&) {
    Buffer out(buffer);
    out.dtype = widened(buffer.dtype);
    if (out.safe) out.safe = expr(buffer.safe);
    if (is_float(buffer.dtype)) out.swizzle = {};
    return make(std::move(out));
  }
  Stmt made_of(const View& view, const Stmt&) {
    if (dtype_of(view.buffer) != view.dtype)
      throw Unable{span_, "it accesses the bits of " + view.buffer.str() + " as another dtype"};
    View out(view);
    out.dtype = widened(view.dtype);
    return make(std::move(out));
  }
  Stmt made_of(const Var& var, const Stmt&) {
    return effect([&] {
      Var out(var);
      out.dtype = widened(var.dtype);
      out.init = expr(var.init);
      return make(std::move(out));
    });
  }
  Stmt made_of(const Let& l, const Stmt&) {
    return effect([&] { return let(l.name, expr(l.value)); });
  }
  Stmt made_of(const Assign& assign, const Stmt&) {
    return effect([&] {
      Assign out(assign);
      out.value = expr(assign.value);
      return make(std::move(out));
    });
  }
  Stmt made_of(const Store& s, const Stmt&) {
    return effect([&] {
      std::vector<RegionDim> dims = s.dims;
      for (RegionDim& dim : dims) dim.lo = expr(dim.lo);
      return store(s.buffer, std::move(dims), expr(s.value));
    });
  }

  // ---- tile operations: rounding ones work on copies in the kernel's dtypes

  Stmt made_of(const Copy& copy, const Stmt& s) {
    const Region &src = to<Region>(copy.src), &dst = to<Region>(copy.dst);
    const DType from = dtype_of(src.buffer), into = dtype_of(dst.buffer);
    if (from == into || !is_float(into)) return plain(s);
    return effect([&]() -> Stmt {
      may_round_ = true;
      if (!rounding_) return plain(s);
      std::vector<Stmt> before, after;
      Copy in(copy), out(copy);
      const Expr staged = temporary(src, Scope::fragment, into, before);
      in.src = expr(copy.src), in.dst = staged;
      out.src = staged, out.dst = expr(copy.dst);
      before.push_back(make(std::move(in)));
      before.push_back(make(std::move(out)));
      return seq(std::move(before));
    });
  }
  Stmt made_of(const Gemm& gemm, const Stmt& s) {
    Gemm wide(gemm);
    wide.tf32 = false;
    const Stmt exact = at(s->span, make(std::move(wide)));
    return staged(exact, {&gemm.a, &gemm.b}, gemm.c, [&](std::vector<Expr> in, Expr out) {
      Gemm made(gemm);
      made.a = in[0], made.b = in[1], made.c = std::move(out), made.clear = expr(gemm.clear);
      return make(std::move(made));
    });
  }
  Stmt made_of(const Reduce& reduce, const Stmt& s) { return made_of_source(reduce, s); }
  Stmt made_of(const Scan& scan, const Stmt& s) { return made_of_source(scan, s); }
  template <class Op> Stmt made_of_source(const Op& op, const Stmt& s) {
    return staged(s, {&op.src}, op.dst, [&](std::vector<Expr> in, Expr out) {
      Op made(op);
      made.src = in[0], made.dst = std::move(out);
      return make(std::move(made));
    });
  }

  Stmt plain(const Stmt& s) {
    return map_children(
        s, [&](const Expr& e) { return expr(e); }, [](const Stmt& child) { return child; });
  }

  template <class F>
  Stmt staged(const Stmt& s, const std::vector<const Expr*>& inputs, const Expr& output, F&& f) {
    if (!is_float(dtype_of(to<Region>(output).buffer))) return plain(s);
    return effect([&]() -> Stmt {
      may_round_ = true;
      if (!rounding_) return plain(s);
      std::vector<Stmt> steps;
      std::vector<Expr> in;
      const DType sum = dtype_of(to<Region>(output).buffer);
      for (const Expr* input : inputs)
        in.push_back(copied(*input, operand_dtype(*input, sum), steps));
      Expr out = copied(output, sum, steps);
      steps.push_back(f(std::move(in), out));
      Copy back;
      back.src = out, back.dst = expr(output);
      steps.push_back(make(std::move(back)));
      return seq(std::move(steps));
    });
  }

  /// Operands are not rounded to fewer bits than f32: that error belongs to the statements that
  /// computed them.
  DType operand_dtype(const Expr& operand, DType sum) const {
    const DType own = dtype_of(to<Region>(operand).buffer);
    return is_float(own) && bits(own) < 32 && sum != DType::f64 ? DType::f32 : own;
  }

  /// A copy of a region in another dtype.
  Expr copied(const Expr& source, DType dtype, std::vector<Stmt>& steps) {
    const Region& r = to<Region>(source);
    auto found = buffers_.find(base_of(r.buffer));
    const bool shared = found != buffers_.end() && found->second->scope == Scope::shared;
    Copy in;
    in.src = expr(source);
    in.dst = temporary(r, shared ? Scope::shared : Scope::fragment, dtype, steps);
    const Expr out = in.dst;
    steps.push_back(make(std::move(in)));
    return out;
  }

  /// Declares memory for a region; returns the whole of it.
  Expr temporary(const Region& r, Scope scope, DType dtype, std::vector<Stmt>& steps) {
    std::vector<int64_t> extents;
    for (const RegionDim& dim : r.dims)
      if (!dim.point) extents.push_back(dim.extent);
    if (extents.empty()) extents.push_back(1);
    const Symbol name = fresh_name(Symbol(r.buffer.str() + "_rounded"), taken_);
    Buffer b = new_buffer(name, scope, dtype, extents);
    const Expr all = whole(b);
    steps.push_back(make(std::move(b)));
    return all;
  }

  Symbol base_of(Symbol name) const {
    for (auto view = views_.find(name); view != views_.end(); view = views_.find(name))
      name = view->second->buffer;
    return name;
  }
  DType dtype_of(Symbol name) const {
    if (const auto view = views_.find(name); view != views_.end()) return view->second->dtype;
    const auto found = buffers_.find(name);
    return found == buffers_.end() ? DType::i32 : found->second->dtype;
  }

  FunctionRef<bool(const Span&)> rounds_;
  BufferTable buffers_;
  std::unordered_map<Symbol, const View*> views_;
  std::unordered_map<Symbol, int> taken_;
  Span span_;
  bool rounding_ = false;   // the current statement rounds
  bool may_round_ = false;  // the current statement can round
  bool is_fast_ = false;
};

}  // namespace

InFloat64 in_float64(const Func& func, FunctionRef<bool(const Span&)> rounds) {
  InFloat64 out;
  try {
    Widen widen(func, rounds);
    out.func = FuncRef(make(widen.run(func)));
    out.rounds = std::move(widen.rounded_);
    out.fast = std::move(widen.fast_);
  } catch (const Unable& unable) {
    out.problem = unable.why;
    out.where = unable.where;
  }
  return out;
}

}  // namespace tilelab
