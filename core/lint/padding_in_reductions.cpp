// SPDX-License-Identifier: Apache-2.0
// Zeros that tiles hold where they reach behind the end of a tensor, and that count where they
// should not: in a maximum or a minimum, or in a sum once something was made of them, as
// `exp(x - top)` or `(x - mean) * (x - mean)`. A walk in program order keeps for every buffer what
// such elements hold, by the dimension along which they lie; a condition on the index of that
// dimension, unless it puts zeros there, ends what is known.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/analysis/effects.h"
#include "core/diagnostics/usage.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/traverse.h"
#include "core/lint/access_strides.h"
#include "core/lint/lints.h"

namespace tilelab {
namespace {

/// Elements behind the end of a tensor, in a buffer or as a value.
struct Padding {
  Symbol tensor;
  size_t dim = 0;       // of the tensor
  int64_t extent = 0;   // its end
  int64_t reached = 0;  // how far is read
  Span read;
  bool zero = true;       // else something was made of it
  Span made;              // where
  bool positive = false;  // what lies beside them is not negative
};
using Paddings = std::map<size_t, Padding>;  // by the buffer's dimension

/// What an expression gives in a place of padding: nothing that is known, a constant, padding.
struct Worth {
  bool zero = false;    // a constant 0
  bool masked = false;  // something else in places of padding than beside them, it may be
  std::optional<Padding> padding;
};

bool keeps_zero(Intrinsic f) {
  switch (f) {
    case Intrinsic::abs:
    case Intrinsic::sqrt:
    case Intrinsic::sin:
    case Intrinsic::tan:
    case Intrinsic::sinh:
    case Intrinsic::tanh:
    case Intrinsic::asin:
    case Intrinsic::asinh:
    case Intrinsic::atan:
    case Intrinsic::erf:
    case Intrinsic::log1p:
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::round:
    case Intrinsic::nearbyint: return true;
    default: return false;
  }
}

bool is_exponential(Intrinsic f) {
  return f == Intrinsic::exp || f == Intrinsic::exp2 || f == Intrinsic::exp10 ||
         f == Intrinsic::fast_exp || f == Intrinsic::fast_exp2 || f == Intrinsic::fast_exp10;
}

class PaddingWalk {
 public:
  PaddingWalk(const Func& func, Diagnostics& diagnostics)
      : buffers_(buffers_of(func)), views_(views_of(*func.body)), diagnostics_(diagnostics) {
    find_shifts(func);
    AccessContext here(func);
    visit(func.body, here);
  }

 private:
  /// Buffers that a softmax takes off in an exponent: a larger maximum does no harm there.
  void find_shifts(const Func& func) {
    walk(*func.body, [&](const Node& node) {
      const Call* call = as<Call>(&node);
      if (call && is_exponential(call->intrinsic))
        walk(*call->args[0], [&](const Node& inner) {
          if (const Load* load = as<Load>(&inner)) shifts_.insert(load->buffer);
          return true;
        });
      return true;
    });
  }

  void visit(const Stmt& stmt, AccessContext& here) {
    if (const Seq* list = as<Seq>(stmt)) {
      for (const Stmt& one : list->stmts) visit(one, here);
      return;
    }
    if (const Let* let = as<Let>(stmt)) here.bind(*let);
    does(stmt, here);
    AccessContext inner = here;
    inner.enter(stmt);
    const Parallel* loop = as<Parallel>(stmt);
    if (loop)
      for (size_t i = 0; i < loop->vars.size(); ++i)
        if (const auto extent = int_value(loop->extents[i])) across_[loop->vars[i]] = *extent;
    const bool branches = stmt->kind == Kind::If || stmt->kind == Kind::While;
    conditions_ += branches;
    for_each_child(
        *stmt, [](const Expr&) {}, [&](const Stmt& s) { visit(s, inner); });
    conditions_ -= branches;
    if (loop) across_.clear();
  }

  void does(const Stmt& stmt, const AccessContext& here) {
    std::map<Symbol, Paddings> made;
    if (conditions_ == 0) {
      if (const Copy* copy = as<Copy>(stmt)) made = after(*copy, here);
      if (const Store* store = as<Store>(stmt)) made = after(*store, here);
      if (const Reduce* reduce = as<Reduce>(stmt)) look_at(*reduce), made = after(*reduce);
      if (const Gemm* gemm = as<Gemm>(stmt)) made = after(*gemm);
    }
    const Fill* fill = as<Fill>(stmt);
    for (const Effect& effect : effects(*stmt)) {
      if (!effect.write) continue;
      paddings_.erase(effect.buffer);
      zeroed_.erase(effect.buffer);
      if (fill && conditions_ == 0 && number_value(fill->value) == 0.0)
        zeroed_.insert(effect.buffer);
    }
    for (auto& [buffer, paddings] : made)
      if (!paddings.empty()) paddings_[buffer] = std::move(paddings);
  }

  // --- where padding comes from ---------------------------------------------------------------

  /// How far an index reaches, if that is reached indeed.
  std::optional<int64_t> reach(const Expr& index, const AccessContext& here) const {
    const Linear sum = here.sum(index);
    for (const Linear::Term& term : sum.terms) {
      const Name* name = as<Name>(term.atom);
      const bool steps =
          name && std::any_of(here.steppers.begin(), here.steppers.end(),
                              [&](const IterationAxis& s) { return s.var == name->id; });
      if (!name || term.coefficient < 0 || !(steps || across_.count(name->id))) return std::nullopt;
    }
    return here.facts.range(sum).hi;
  }

  std::optional<Padding> behind_the_end(const Buffer& tensor, size_t dim, const Expr& lo,
                                        int64_t extent, Span span,
                                        const AccessContext& here) const {
    const auto end = int_value(tensor.shape[dim]);
    const auto last = reach(lo, here);
    if (tensor.scope != Scope::global || tensor.safe || !end || !last || *last + extent <= *end)
      return std::nullopt;
    return Padding{tensor.name, dim, *end, *last + extent, span, true, {}, is_unsigned(tensor)};
  }

  static bool is_unsigned(const Buffer& buffer) {
    return is_integer(buffer.dtype) && min_int(buffer.dtype) == 0;
  }

  const Buffer* buffer(Symbol name) const {
    auto found = buffers_.find(name);
    return found == buffers_.end() || views_.count(name) ? nullptr : found->second;
  }

  bool is_whole(const Region& region) const {
    const Buffer* made = buffer(region.buffer);
    if (!made || made->shape.size() != region.dims.size()) return false;
    for (size_t d = 0; d < region.dims.size(); ++d)
      if (!is_int(region.dims[d].lo, 0) || !is_int(made->shape[d], region.dims[d].extent))
        return false;
    return true;
  }

  std::map<Symbol, Paddings> after(const Copy& copy, const AccessContext& here) const {
    const Region &src = to<Region>(copy.src), &dst = to<Region>(copy.dst);
    const Buffer* from = buffer(src.buffer);
    if (!from || !is_whole(dst)) return {};
    std::vector<size_t> into;
    for (size_t d = 0; d < dst.dims.size(); ++d)
      if (dst.dims[d].extent > 1) into.push_back(d);
    auto held = paddings_.find(src.buffer);
    Paddings out;
    size_t place = 0;
    for (size_t d = 0; d < src.dims.size(); ++d) {
      if (src.dims[d].extent == 1) continue;
      if (place >= into.size()) return {};
      const size_t to_dim = into[place++];
      if (auto padding =
              behind_the_end(*from, d, src.dims[d].lo, src.dims[d].extent, src.span, here))
        out.emplace(to_dim, *padding);
      if (held != paddings_.end() && held->second.count(d) && is_whole(src))
        out.emplace(to_dim, held->second.at(d));
    }
    return {{dst.buffer, std::move(out)}};
  }

  // --- what is made of it ---------------------------------------------------------------------

  std::map<Symbol, Paddings> after(const Store& store, const AccessContext& here) const {
    Paddings out;
    for (size_t d = 0; d < store.dims.size(); ++d) {
      const Name* name = as<Name>(store.dims[d].lo);
      if (!name || !across_.count(name->id)) continue;
      Worth worth = worth_of(store.value, name->id, here);
      if (!worth.padding) continue;
      if (!worth.padding->zero && !worth.padding->made.known()) worth.padding->made = store.span;
      worth.padding->positive = is_positive(*store.value);
      out.emplace(d, *worth.padding);
    }
    return {{store.buffer, std::move(out)}};
  }

  Worth worth_of(const Expr& e, Symbol var, const AccessContext& here) const {
    if (const auto value = number_value(e)) return {*value == 0.0, false, {}};
    if (const Name* name = as<Name>(e)) {
      auto let = here.lets.find(name->id);
      return let == here.lets.end() ? Worth{} : worth_of(let->second, var, here);
    }
    if (const Load* load = as<Load>(e)) return worth_of(*load, var, here);
    if (const Cast* cast = as<Cast>(e)) return worth_of(cast->a, var, here);
    if (const Select* choice = as<Select>(e)) return worth_of(*choice, var, here);
    std::vector<Worth> parts;
    for_each_child(
        *e, [&](const Expr& part) { parts.push_back(worth_of(part, var, here)); },
        [](const Stmt&) {});
    return combined(*e, parts);
  }

  Worth worth_of(const Load& load, Symbol var, const AccessContext& here) const {
    const Buffer* from = buffer(load.buffer);
    if (!from) return {};
    auto held = paddings_.find(load.buffer);
    for (size_t d = 0; d < load.index.size() && d < from->shape.size(); ++d) {
      const Linear sum = here.sum(load.index[d]);
      if (sum.coefficient(var) != 1) continue;
      if (held != paddings_.end() && held->second.count(d) && as<Name>(load.index[d]))
        return {false, false, held->second.at(d)};
      if (auto padding = behind_the_end(*from, d, load.index[d], 1, load.span, here))
        return {false, false, padding};
    }
    return masked_if(mentions(substitute(Expr(&load), here.lets), var));
  }

  static Worth masked_if(bool so) { return {false, so, {}}; }

  /// A condition on the index ends what is known, but where it puts zeros in place of padding.
  Worth worth_of(const Select& choice, Symbol var, const AccessContext& here) const {
    const Worth a = worth_of(choice.a, var, here), b = worth_of(choice.b, var, here);
    const bool on_index = mentions(substitute(choice.cond, here.lets), var);
    if (!a.padding && !b.padding) return masked_if(on_index || a.masked || b.masked);
    Worth out = a.padding ? a : b;
    const Worth& other = a.padding ? b : a;
    const bool zeros = out.padding->zero && (other.zero || (other.padding && other.padding->zero));
    if (on_index && !other.zero) return masked_if(true);
    out.padding->zero = on_index || zeros;
    return out;
  }

  static Worth combined(const Node& e, const std::vector<Worth>& parts) {
    const Bin* bin = as<Bin>(&e);
    const Call* call = as<Call>(&e);
    auto is_zero = [](const Worth& w) { return w.zero || (w.padding && w.padding->zero); };
    auto first = std::find_if(parts.begin(), parts.end(), [](const Worth& w) { return w.padding; });
    const bool masked =
        std::any_of(parts.begin(), parts.end(), [](const Worth& w) { return w.masked; });
    if (first == parts.end()) return masked_if(masked || (bin && is_compare(bin->op)));
    const bool all = std::all_of(parts.begin(), parts.end(), is_zero);
    Worth out = *first;
    bool zero = false;
    if (bin && bin->op == BinOp::mul)
      zero = is_zero(parts[0]) || is_zero(parts[1]);
    else if (bin && bin->op == BinOp::div)
      zero = is_zero(parts[0]);
    else if (bin)
      zero = all && (bin->op == BinOp::add || bin->op == BinOp::sub);
    else if (call &&
             (call->intrinsic == Intrinsic::maximum || call->intrinsic == Intrinsic::minimum))
      zero = all;
    else if (call)
      zero = all && keeps_zero(call->intrinsic);
    else
      zero = all && as<Un>(&e) && as<Un>(&e)->op == UnOp::neg;
    if (!zero && masked) return masked_if(true);
    out.padding->zero = zero;
    return out;
  }

  bool is_positive(const ExprNode& e) const {
    if (const Cast* cast = as<Cast>(&e)) return is_positive(*cast->a);
    if (const Bin* bin = as<Bin>(&e))
      return bin->op == BinOp::mul &&
             (equal(bin->a, bin->b) || (is_positive(*bin->a) && is_positive(*bin->b)));
    if (const Load* load = as<Load>(&e)) {
      auto held = paddings_.find(load->buffer);
      return held != paddings_.end() &&
             std::all_of(held->second.begin(), held->second.end(),
                         [](const auto& one) { return one.second.positive; });
    }
    if (const auto* choice = as<Select>(&e))
      return is_positive(*choice->a) && is_positive(*choice->b);
    const Call* call = as<Call>(&e);
    if (!call) return is_const(Expr(&e)) && number_value(Expr(&e)).value_or(-1) >= 0;
    if (call->intrinsic == Intrinsic::maximum)
      return is_positive(*call->args[0]) || is_positive(*call->args[1]);
    return call->intrinsic == Intrinsic::abs || call->intrinsic == Intrinsic::sqrt ||
           call->intrinsic == Intrinsic::sigmoid || is_exponential(call->intrinsic);
  }

  /// Rows of zeros times what is there are zeros, in a sum that was cleared.
  std::map<Symbol, Paddings> after(const Gemm& gemm) const {
    const Region &a = to<Region>(gemm.a), &b = to<Region>(gemm.b), &c = to<Region>(gemm.c);
    const bool anew = is_const(gemm.clear) && !is_int(gemm.clear, 0);
    if (!is_whole(a) || !is_whole(b) || !is_whole(c) || !(anew || zeroed_.count(c.buffer)))
      return {};
    if (a.dims.size() != 2 || b.dims.size() != 2 || c.dims.size() != 2) return {};
    Paddings out;
    auto bring = [&](Symbol from, size_t dim, size_t into) {
      auto held = paddings_.find(from);
      if (held != paddings_.end() && held->second.count(dim))
        out.emplace(into, held->second.at(dim)).first->second.positive = false;
    };
    bring(a.buffer, gemm.trans_a ? 1 : 0, 0);
    bring(b.buffer, gemm.trans_b ? 0 : 1, 1);
    return {{c.buffer, std::move(out)}};
  }

  // --- where it counts ------------------------------------------------------------------------

  std::map<Symbol, Paddings> after(const Reduce& reduce) const {
    const Region &src = to<Region>(reduce.src), &dst = to<Region>(reduce.dst);
    auto held = paddings_.find(src.buffer);
    if (held == paddings_.end() || !is_whole(dst) || dst.dims.size() >= src.dims.size()) return {};
    Paddings out;
    size_t place = 0;
    for (size_t d = 0; d < src.dims.size(); ++d) {
      if (std::count(reduce.dims.begin(), reduce.dims.end(), static_cast<int64_t>(d))) continue;
      if (held->second.count(d)) out.emplace(place, held->second.at(d));
      ++place;
    }
    return {{dst.buffer, std::move(out)}};
  }

  void look_at(const Reduce& reduce) {
    const Region& src = to<Region>(reduce.src);
    auto held = paddings_.find(src.buffer);
    if (held == paddings_.end()) return;
    for (int64_t dim : reduce.dims) {
      auto padding = held->second.find(static_cast<size_t>(dim));
      if (padding != held->second.end() && counts(reduce, padding->second))
        report(reduce, padding->second);
    }
  }

  bool counts(const Reduce& reduce, const Padding& padding) const {
    const Symbol dst = to<Region>(reduce.dst).buffer;
    switch (reduce.op) {
      case ReduceOp::sum:
      case ReduceOp::abssum: return !padding.zero;
      case ReduceOp::max: return !(padding.zero && padding.positive) && !shifts_.count(dst);
      case ReduceOp::min: return true;
      default: return false;
    }
  }

  void report(const Reduce& reduce, const Padding& padding) {
    const bool sum = reduce.op == ReduceOp::sum || reduce.op == ReduceOp::abssum;
    const std::string end = std::to_string(padding.extent);
    const std::string what = sum ? "sum" : reduce.op == ReduceOp::max ? "maximum" : "minimum";
    const std::string neutral = sum                          ? "0"
                                : reduce.op == ReduceOp::max ? "-T.infinity(...)"
                                                             : "T.infinity(...)";
    Diagnostic& said =
        diagnostics_.report(usage::padding_counted, reduce.span, padding.tensor, what);
    said.label(padding.read, "dimension " + std::to_string(padding.dim) + " ends at " + end +
                                 "; this reads as far as " + std::to_string(padding.reached));
    if (!padding.zero && padding.made.known()) said.label(padding.made, "is not 0 there");
    said.help("give them a value that does not count: T.if_then_else(index < " + end + ", value, " +
              neutral + ")");
  }

  BufferTable buffers_;
  BufferViews views_;
  Diagnostics& diagnostics_;
  std::set<Symbol> shifts_, zeroed_;
  std::map<Symbol, Paddings> paddings_;
  std::map<Symbol, int64_t> across_;  // the variables of T.Parallel around
  int conditions_ = 0;
};

}  // namespace

void warn_of_counted_padding(const Func& func, Diagnostics& diagnostics) {
  PaddingWalk(func, diagnostics);
}

}  // namespace tilelab
