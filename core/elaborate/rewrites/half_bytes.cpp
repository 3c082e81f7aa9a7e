// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/half_bytes.h"

#include <algorithm>
#include <set>

#include "core/analysis/bindings.h"
#include "core/analysis/divergence.h"
#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/ir/regions.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {

bool in_pairs(DType dtype, Scope scope) {
  return value_bits(dtype) == 4 && (scope == Scope::global || scope == Scope::shared);
}

Expr bytes_for(const Expr& elements) {
  const DType dtype = elements->type.dtype;
  Linear sum = linear_of(elements);
  const bool even =
      sum.constant % 2 == 0 && std::all_of(sum.terms.begin(), sum.terms.end(),
                                           [](const auto& t) { return t.coefficient % 2 == 0; });
  if (!even && !sum.is_constant()) return floordiv(elements, int_const(2, dtype));
  sum.constant = (sum.constant + 1) / 2;
  for (Linear::Term& term : sum.terms) term.coefficient /= 2;
  return expr_of(sum, dtype);
}

std::vector<Expr> shape_in_bytes(std::vector<Expr> shape) {
  if (!shape.empty()) shape.back() = bytes_for(shape.back());
  return shape;
}

HalfPlace half_place(const Expr& index, const Lets& lets) {
  const DType dtype = index->type.dtype;
  for (bool follow_lets : {false, true}) {
    Linear sum = linear_of(index, [&](Symbol name) -> Expr {
      auto found = follow_lets ? lets.find(name) : lets.end();
      return found == lets.end() ? nullptr : found->second;
    });
    if (std::any_of(sum.terms.begin(), sum.terms.end(),
                    [](const auto& t) { return t.coefficient % 2 != 0; }))
      continue;
    const int64_t half = sum.constant & 1;
    sum.constant = (sum.constant - half) / 2;
    for (Linear::Term& term : sum.terms) term.coefficient /= 2;
    return {expr_of(sum, dtype), half};
  }
  return {floordiv(index, int_const(2, dtype)), std::nullopt};
}

std::string shares_bytes(const BufferInfo& buffer) {
  return std::string(tilelang_name(buffer.dtype)) + ": two elements share a byte";
}

bool always_even(const Expr& e, const Lets& lets) { return half_place(e, lets).half == 0; }

namespace {

/// The value in a byte, in the lower half; the upper one may hold anything.
Expr low_half(const Expr& value) {
  const DType dtype = value->type.dtype, byte = byte_type(dtype);
  if (const Const* known = as<Const>(value)) return int_const(int64_t(known->bits & 15), byte);
  return is_float(dtype) ? call(Intrinsic::bits, {byte}, {value}) : cast(byte, value);
}

}  // namespace

Expr code_of(const Expr& value) {
  const Expr low = low_half(value);
  const DType byte = low->type.dtype;
  const bool clean = is_float(value->type.dtype) || low->kind == Kind::Const;
  return clean ? low : binary(BinOp::band, low, int_const(15, byte));
}

Expr both_halves(const Expr& low, const Expr& high) {
  const Expr upper = low_half(high);
  return binary(BinOp::bor, code_of(low),
                binary(BinOp::shl, upper, int_const(4, upper->type.dtype)));
}

namespace {

bool moves_last(const Region& region) { return region.dims.back().extent != 1; }

const BufferInfo* paired_in(const Buffers& buffers, Symbol name) {
  auto found = buffers.find(name);
  return found != buffers.end() && in_pairs(*found->second) ? found->second.get() : nullptr;
}

/// Whether the copy's values become integers of four bits, in memory of any kind.
bool narrows(const Copy& copy) {
  const DType dtype = to<Region>(copy.dst).type.dtype;
  return is_four_bit_integer(dtype) && to<Region>(copy.src).type.dtype != dtype;
}

/// Whether there are accesses or copies to rewrite.
bool needs_pairs(const Stmt& body, const Buffers& buffers) {
  const auto paired = [&](const auto& access) {
    return paired_in(buffers, access.buffer) != nullptr;
  };
  return any_of(
      *body, [&](const Load& n) { return paired(n); }, [&](const Region& n) { return paired(n); },
      [&](const Store& n) { return paired(n); }, [](const Copy& n) { return narrows(n); });
}

/// Lets whose values are invariant in their scope.
Lets invariant_lets(const Node& body) {
  std::set<Symbol> vars;
  for_each(body, [&](const Var& var) { vars.insert(var.name); });
  Lets lets = lets_of(body);
  std::erase_if(lets, [&](const auto& let) { return !is_invariant(let.second, vars); });
  return lets;
}

/// Rewrites accesses to elements and boxes as accesses to bytes, after loops have been halved
/// (half_byte_loops.cpp).
class Pairs {
 public:
  Pairs(const Kernel& kernel, const Buffers& buffers, const Lets& lets, Diagnostics& diagnostics)
      : buffers_(buffers), lets_(lets), diagnostics_(diagnostics), varying_(kernel) {
    for (Symbol index : kernel.indices) varying_names_.insert(index);
  }

  /// Tile operations on boxes: on bytes if the box consists of whole bytes, otherwise as loops.
  Stmt boxes(const Stmt& body) {
    names_ = names_in(*body);
    return rewrite_stmts(body, [&](const Stmt& stmt) -> Stmt {
      const Copy* copy = as<Copy>(stmt);
      const Fill* fill = as<Fill>(stmt);
      if (copy && (on_pairs(copy->src) || on_pairs(copy->dst) || narrows(*copy)))
        return at(stmt->span, box_copy(*copy));
      if (fill && on_pairs(fill->dst)) return at(stmt->span, box_fill(*fill));
      return stmt;
    });
  }

  /// Element accesses. A store may already be of bytes: then its value is a byte.
  Stmt elements(const Stmt& stmt) {
    if (!stmt) return stmt;
    if (const Let* let = as<Let>(stmt)) all_lets_[let->name] = let->value;
    const std::set<Symbol> outer = varying_names_;
    if (const Parallel* loop = as<Parallel>(stmt))
      varying_names_.insert(loop->vars.begin(), loop->vars.end());
    if (const TileLoop* loop = as<TileLoop>(stmt))
      varying_names_.insert(loop->vars.begin(), loop->vars.end());
    const bool before = changed_half_;
    if (as<For>(stmt)) changed_half_ = false;
    span_ = stmt->span;
    Stmt out = map_children(
        stmt, [&](const Expr& e) { return loads(e); }, [&](const Stmt& s) { return elements(s); });
    varying_names_ = outer;
    if (const For* loop = as<For>(out)) {
      if (changed_half_ && loop->mode == LoopMode::vec) {  // a loop-carried dependence
        For serial(*loop);
        serial.mode = LoopMode::serial;
        out = make(std::move(serial));
      }
      changed_half_ |= before;
    }
    const Store* store = as<Store>(out);
    if (store && paired(store->buffer) && value_bits(store->value->type.dtype) == 4)
      out = stored_half(*store, stmt->span);
    return at(stmt->span, out);
  }

 private:
  const BufferInfo* paired(Symbol name) const { return paired_in(buffers_, name); }
  bool on_pairs(const Expr& region) const {
    const Region* r = as<Region>(region);
    return r && value_bits(r->type.dtype) == 4 && paired(r->buffer);
  }

  // ---- boxes

  /// The box in bytes; null if it starts or ends within a byte.
  Expr in_bytes(const Region& region) const {
    const HalfPlace place = half_place(region.dims.back().lo, lets_);
    const int64_t extent = region.dims.back().extent;
    const auto whole = int_value(paired(region.buffer)->shape.back());
    const bool to_the_end = is_int(region.dims.back().lo, 0) && whole == extent;
    if (place.half != 0 || !moves_last(region) || (extent % 2 != 0 && !to_the_end)) return nullptr;
    Region out(region);
    out.type = {};
    out.dims.back() = slice(place.byte, (extent + 1) / 2);
    return at(region.span,
              tilelab::region(out.buffer, byte_type(region.type.dtype), std::move(out.dims)));
  }

  /// `for i, j in T.Parallel(...)` over a box.
  template <class Value> Stmt loop_over(const Region& dst, Span span, Value&& value) {
    Parallel loop;
    std::vector<Expr> position;
    for (const RegionDim& dim : dst.dims) {
      if (dim.extent == 1) continue;
      loop.vars.push_back(fresh_name("i", names_));
      loop.extents.push_back(int_const(dim.extent));
      position.push_back(name_ref(loop.vars.back(), {DType::i32}));
    }
    Stmt body = at(span, store(dst.buffer, points(element_in(dst, position)), value(position)));
    if (loop.vars.empty()) return body;
    loop.body = std::move(body);
    return make(std::move(loop));
  }

  Stmt box_copy(const Copy& copy) {
    const Region &src = to<Region>(copy.src), &dst = to<Region>(copy.dst);
    const bool alike = src.type == dst.type && on_pairs(copy.src) && on_pairs(copy.dst);
    if (alike && moves_last(src) && moves_last(dst)) {
      Copy bytes(copy);
      bytes.src = in_bytes(src), bytes.dst = in_bytes(dst);
      if (bytes.src && bytes.dst && !copy.layout.known()) return make(std::move(bytes));
    }
    const bool with_pairs = on_pairs(copy.src) || on_pairs(copy.dst);
    if (with_pairs && (copy.layout.known() || copy.barrier)) {
      refuse(on_pairs(copy.dst) ? dst.buffer : src.buffer, copy.span,
             copy.barrier ? "a TMA copy" : "T.copy with a loop_layout",
             "copy whole bytes, starting at an even element, between two buffers of " +
                 std::string(tilelang_name(dst.type.dtype)));
      return make(Copy(copy));
    }
    const Stmt made = loop_over(dst, copy.span, [&](const std::vector<Expr>& position) {
      return cast(dst.type.dtype, load(src.buffer, src.type.dtype, element_in(src, position)));
    });
    const Parallel* loop = as<Parallel>(made);
    if (!loop || !copy.layout.known()) return made;
    Parallel out(*loop);
    out.layout = copy.layout;
    return make(std::move(out));
  }

  Stmt box_fill(const Fill& fill) {
    const Region& dst = to<Region>(fill.dst);
    if (Expr bytes = in_bytes(dst)) {
      Fill out(fill);
      out.dst = bytes;
      out.value = both_halves(fill.value, fill.value);
      return make(std::move(out));
    }
    return loop_over(dst, fill.span, [&](const std::vector<Expr>&) { return fill.value; });
  }

  // ---- elements

  Expr loads(const Expr& e) {
    return rewrite(e, [&](const Expr& one) -> Expr {
      if (const Region* region = as<Region>(one);
          region && value_bits(region->type.dtype) == 4 && paired(region->buffer)) {
        refuse(region->buffer, span_, "this operation",
               "copy it to a fragment first: T.copy(" + region->buffer.str() +
                   ", fragment) converts to the dtype of the fragment");
        return one;
      }
      const Load* load = as<Load>(one);
      if (!load || value_bits(load->type.dtype) != 4 || !paired(load->buffer)) return one;
      const DType dtype = load->type.dtype, byte = byte_type(dtype);
      std::vector<Expr> index = load->index;
      const HalfPlace place = half_place(index.back(), lets_);
      const Expr low = shift_of(index.back(), place, byte);
      index.back() = place.byte;
      const Expr both = tilelab::load(load->buffer, byte, std::move(index));
      return at(one->span, call(Intrinsic::bits, {dtype},
                                {is_signed(dtype) ? signed_half(both, low) : half(both, low)}));
    });
  }

  /// The half at bit `low` of a byte, zero-extended or sign-extended.
  static Expr half(const Expr& byte, const Expr& low) {
    const Expr code = is_int(low, 0) ? byte : binary(BinOp::shr, byte, low);
    return is_int(low, 4) ? code : binary(BinOp::band, code, int_const(15, DType::u8));
  }
  static Expr signed_half(const Expr& byte, const Expr& low) {
    const Expr four = int_const(4, DType::i8);
    const Expr up = is_int(low, 4) ? byte : binary(BinOp::shl, byte, sub(four, low));
    return binary(BinOp::shr, up, four);
  }

  /// Bit offset of the element's half: 0 or 4.
  static Expr shift_of(const Expr& index, const HalfPlace& place, DType byte) {
    if (place.half) return int_const(*place.half * 4, byte);
    const DType dtype = index->type.dtype;
    return cast(byte, mul(floormod(index, int_const(2, dtype)), int_const(4, dtype)));
  }

  /// Stores one element: a read-modify-write of its byte.
  Stmt stored_half(const Store& element, Span span) {
    const Expr& index = element.dims.back().lo;
    if (const Expr varying = differs(index)) {
      diagnostics_.report(Diag::half_byte_race, span, element.buffer)
          .label(paired(element.buffer)->span, shares_bytes(*paired(element.buffer)))
          .help(
              "use a variable of T.Parallel as the last index, plus an even value, so that one "
              "iteration has both elements of a byte");
      return make(Store(element));
    }
    changed_half_ = true;
    const DType byte = byte_type(element.value->type.dtype);
    const HalfPlace place = half_place(index, lets_);
    const Expr low = shift_of(index, place, byte);
    Store out(element);
    out.dims.back() = point(place.byte);
    const Expr mask = binary(BinOp::bxor, binary(BinOp::shl, int_const(15, byte), low),
                             int_const(wrap_int(byte, 255), byte));
    const Expr others = binary(BinOp::band, load(element.buffer, byte, lows(out.dims)), mask);
    out.value = binary(BinOp::bor, others, binary(BinOp::shl, code_of(element.value), low));
    return make(std::move(out));
  }

  /// A term of the index that may be odd and differs between iterations, threads or blocks; or
  /// null.
  Expr differs(const Expr& index) const {
    const Linear sum = linear_of(index, [&](Symbol name) -> Expr {
      auto found = all_lets_.find(name);
      return found == all_lets_.end() ? nullptr : found->second;
    });
    for (const Linear::Term& term : sum.terms)
      if (term.coefficient % 2 != 0 && (varying_(term.atom) || names_vary(term.atom)))
        return term.atom;
    return nullptr;
  }
  bool names_vary(const Expr& e) const {
    return any_of(*e, [&](const Name& name) {
      auto let = all_lets_.find(name.id);
      return varying_names_.count(name.id) != 0 ||
             (let != all_lets_.end() && names_vary(let->second));
    });
  }

  void refuse(Symbol buffer, Span span, const std::string& what, const std::string& help) {
    diagnostics_.report(Diag::half_byte_use, span, what, buffer)
        .label(paired(buffer)->span, shares_bytes(*paired(buffer)))
        .help(help);
  }

  const Buffers& buffers_;
  const Lets& lets_;
  Diagnostics& diagnostics_;
  DivergenceAnalysis varying_;
  std::unordered_map<Symbol, int> names_;
  std::unordered_map<Symbol, Expr> all_lets_;
  std::set<Symbol> varying_names_;  // names that differ between iterations or blocks
  bool changed_half_ = false;
  Span span_;
};

}  // namespace

Stmt lower_half_bytes(const Kernel& kernel, const Buffers& buffers,
                      FunctionRef<Symbol(Symbol)> fresh, Diagnostics& diagnostics) {
  if (!needs_pairs(kernel.body, buffers)) return widened_integers(kernel.body);
  Kernel renamed(kernel);
  renamed.body = rename_shadowed(kernel.body, shadowed_names(*kernel.body), fresh);
  const Lets lets = invariant_lets(*renamed.body);
  Pairs pairs(renamed, buffers, lets, diagnostics);
  return widened_integers(pairs.elements(halved_loops(pairs.boxes(renamed.body), buffers, lets)));
}

}  // namespace tilelab::elaborate
