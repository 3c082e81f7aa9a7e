// SPDX-License-Identifier: Apache-2.0
// Operands of engines, barriers and matrix units after flattening:
//   tma_load(A_s[s, 0:128, 0:64], ...)   ->  tma_load(s * 16384, ..., box=[64, 128], granule=16)
//   sqmma(C, A_s[s, 0:128, 0:64], ...)   ->  sqmma(C, 3407872 + s * 16384, ..., dtype="f16")
//   bar_wait(full[s], p)                 ->  bar_wait(1 + s, p)
// The hardware applies the swizzle itself, so these addresses omit it.
#include <algorithm>

#include "core/layout/layout.h"
#include "core/passes/flatten/flatten.h"
#include "core/passes/shared/hardware_units.h"
#include "core/targets/target.h"

namespace tilelab {

Stmt Flattener::machine_call(const Call& call) {
  switch (call.intrinsic) {
    case Intrinsic::tma_load:
    case Intrinsic::tma_store:
    case Intrinsic::tma_add: return engine_copy(call);
    case Intrinsic::wgmma:
    case Intrinsic::sqmma: return product(call);
    case Intrinsic::bar_init:
    case Intrinsic::bar_arrive:
    case Intrinsic::bar_expect:
    case Intrinsic::bar_arrive_expect:
    case Intrinsic::bar_wait: return barrier_call(call);
    case Intrinsic::group_sync:
    case Intrinsic::range_sync:
    case Intrinsic::role_sync: return part_sync(call);
    default: return nullptr;
  }
}

static void set_attr(std::vector<Attr>& attrs, Attr value) {
  std::erase_if(attrs, [&](const Attr& a) { return a.name == value.name; });
  attrs.push_back(std::move(value));
}

/// Flattens the operands, except for memory locations, which remain regions.
std::vector<Expr> Flattener::flat_args(const Call& call) {
  std::vector<Expr> out;
  for (const Expr& arg : call.args) {
    const Region* r = as<Region>(arg);
    const Load* l = as<Load>(arg);
    const Symbol name = r ? r->buffer : l ? l->buffer : Symbol();
    const bool barrier = name && root_of(name).scope == Scope::barrier;
    const bool shared = r && root_of(name).scope == Scope::shared;
    out.push_back(barrier ? barrier_id(arg) : shared ? arg : flat(arg));
  }
  return out;
}

// ---- memory

Expr Flattener::place(const Region& region) {
  const auto [layout, element] = shared_layout(region.buffer);
  std::vector<RegionDim> dims = region.dims;
  for (RegionDim& d : dims) d.lo = flat(d.lo);
  Expr offset = mul(digits_offset(layout, dims), int_const(element));
  return simplify_index(add(int_const(root_of(region.buffer).at), offset), facts_);
}

/// A part of a buffer starts at a multiple of its extent, so its layout is that of the buffer's
/// beginning.
Layout Flattener::tile_of(const Region& region) const {
  const Layout layout = shared_layout(region.buffer).first;
  Layout tile;
  for (size_t d = 0; d < region.dims.size(); ++d) {
    if (region.dims[d].point) continue;
    tile.shape.push_back(region.dims[d].extent);
    tile.dims.push_back(layout.dims[d]);
  }
  return tile;
}

/// Addresses of the tile's elements in row-major order.
static std::vector<int64_t> addresses(const Layout& tile) {
  std::vector<int64_t> out{0};
  for (size_t d = 0; d < tile.shape.size(); ++d) {
    const std::vector<Place> own = contributions(tile, d);
    std::vector<int64_t> next;
    next.reserve(out.size() * own.size());
    for (int64_t base : out)
      for (const Place& place : own) next.push_back(base + place.address);
    out = std::move(next);
  }
  return out;
}

/// Whether a box is contiguous. A box that an instruction names has the element order of the
/// region; one in a descriptor may permute the same elements.
static bool is_contiguous(const Layout& tile, bool in_order) {
  const std::vector<int64_t> at = addresses(tile);
  std::vector<bool> taken(at.size());
  for (size_t i = 0; i < at.size(); ++i) {
    const auto place = size_t(at[i]);
    if (in_order ? place != i : place >= at.size() || taken[place]) return false;
    taken[place] = true;
  }
  return true;
}

Stmt Flattener::engine_copy(const Call& call) {
  const size_t which = call.intrinsic == Intrinsic::tma_load ? 0 : 2;
  Call out(call);
  out.args = flat_args(call);
  const Region* region = as<Region>(call.args.at(which));
  if (!region) return nullptr;  // an address already
  const bool in_descriptor = context_.target.tensor.box_in_descriptor;
  const Layout tile = tile_of(*region);
  if (!is_contiguous(tile, !in_descriptor))
    context_.diagnostics.report(Diag::pass_not_built, call.span, "flatten",
                                "a TMA copy whose box is not dense in shared memory");
  const Swizzle& swizzle = root_of(region->buffer).swizzle;
  if (!engine_swizzles(context_.target, swizzle, 0))
    context_.diagnostics.report(Diag::pass_not_built, call.span, "flatten",
                                "a TMA copy with a swizzle that the hardware does not support");
  out.args[which] = place(*region);
  if (!in_descriptor) {
    std::vector<int64_t> box(tile.shape.rbegin(), tile.shape.rend());
    box.resize(to<Vec>(call.args.at(2 - which / 2)).parts.size(), 1);  // 1 in outer dimensions
    set_attr(out.attrs, attr("box", std::move(box)));
    if (swizzle.known()) set_attr(out.attrs, attr("granule", int64_t(swizzle.granule)));
  }
  return make(Do{{}, make(std::move(out))});
}

// ---- matrix instructions

/// An address in shared memory divided by `unit`. It cannot overflow, so a sum of multiples is
/// divided term by term.
static Expr divided(const Expr& address, int64_t unit, const RangeAnalysis& facts) {
  Linear sum = linear_of(address);
  if (sum.constant % unit != 0) return simplify_index(floordiv(address, int_const(unit)), facts);
  Expr out = int_const(sum.constant / unit);
  for (const Linear::Term& term : sum.terms) {
    if (term.coefficient % unit == 0) {
      out = add(out, mul(term.atom, int_const(term.coefficient / unit)));
      continue;
    }
    const Expr part = mul(term.atom, int_const(term.coefficient));
    if (facts.range(part).multiple % unit != 0)
      return simplify_index(floordiv(address, int_const(unit)), facts);
    out = add(out, simplify_index(floordiv(part, int_const(unit)), facts));
  }
  return out;
}

Expr Flattener::descriptor(const Call& call, size_t operand) {
  const Region& region = to<Region>(call.args[operand]);
  const MatrixInstruction* row = matrix_of(name(call.intrinsic), context_.target.letter);
  const Attr* major = find_attr(call.attrs, operand == 1 ? "tA" : "tB");
  const bool mn = major && major->integer;
  const MatrixOperand kind = operand == 1 ? (mn ? MatrixOperand::a_mn : MatrixOperand::a)
                                          : (mn ? MatrixOperand::b_mn : MatrixOperand::b);
  const auto fields =
      row ? descriptor_fields(*row, kind, tile_of(region), root_of(region.buffer).swizzle,
                              bits(region.type.dtype))
          : std::nullopt;
  if (!fields) {
    context_.diagnostics.report(Diag::pass_not_built, call.span, "flatten",
                                "a layout that " + std::string(name(call.intrinsic)) +
                                    " cannot read, that of  " + region.buffer.str() + ",");
    return int_const(0);
  }
  const Expr start = place(region);
  const int64_t unit = descriptor_unit(*row);
  if (unit == 1) return simplify_index(add(int_const(int64_t(*fields)), start), facts_);
  return add(int_const(int64_t(*fields), DType::i64),
             cast(DType::i64, divided(start, unit, facts_)));
}

Stmt Flattener::product(const Call& call) {
  Call out(call);
  out.args = flat_args(call);
  for (size_t i : {size_t(1), size_t(2)}) {
    const Region* region = as<Region>(call.args.at(i));
    if (!region || root_of(region->buffer).scope != Scope::shared) continue;
    set_attr(out.attrs, attr("dtype", std::string(name(region->type.dtype))));
    out.args[i] = descriptor(call, i);
  }
  return make(Do{{}, make(std::move(out))});
}

// ---- barriers

Expr Flattener::barrier_id(const Expr& e) {
  const Region* r = as<Region>(e);
  const Load* l = as<Load>(e);
  const Buffer& b = root_of(r ? r->buffer : l->buffer);
  CHECK(b.id >= 0, b.name.str() + " has no barrier ids");
  const Expr index = r ? r->dims.at(0).lo : l->index.at(0);
  return simplify_index(add(int_const(b.id), cast(DType::i32, flat(index))), facts_);
}

Stmt Flattener::barrier_call(const Call& call) {
  const Region* r = as<Region>(call.args.at(0));
  const Load* l = as<Load>(call.args[0]);
  if (!r && !l) return nullptr;
  const Buffer& b = root_of(r ? r->buffer : l->buffer);
  Call out(call);
  out.args = flat_args(call);
  if (call.intrinsic == Intrinsic::bar_arrive && context_.target.barriers.unit == Unit::lane &&
      !find_attr(out.attrs, "unit"))
    out.attrs.push_back(attr("unit", std::string(name(b.unit))));
  if (call.intrinsic != Intrinsic::bar_init) return make(Do{{}, make(std::move(out))});
  if (out.args.size() == 1) out.args.push_back(int_const(b.count));
  const int64_t n = r && !r->dims.empty() && !r->dims[0].point ? r->dims[0].extent : 1;
  if (n == 1) return make(Do{{}, make(std::move(out))});
  if (!each_) {
    auto taken = names_in(func_);
    each_ = fresh_name("s", taken);
  }
  out.args[0] = add(out.args[0], name_ref(each_));
  return for_loop(each_, int_const(0), int_const(n), make(Do{{}, make(std::move(out))}),
                  LoopMode::unroll);
}

/// Barriers for parts of a block have IDs by now.
Stmt Flattener::part_sync(const Call& call) {
  Call out(call);
  out.args = flat_args(call);
  if (!find_attr(out.attrs, "id"))
    context_.diagnostics.report(
        Diag::pass_not_built, call.span, "flatten",
        "a " + std::string(name(call.intrinsic)) + " without a barrier number");
  return make(Do{{}, make(std::move(out))});
}

/// Reserves all barriers of the kernel, whose IDs start at 1 for hardware barriers and at 0 for
/// barriers in shared memory (at its end).
Stmt Flattener::reserve_barriers(const Kernel& k) {
  int64_t end = -1;
  for_each(*k.body, [&](const Buffer& b) {
    if (b.scope == Scope::barrier) end = std::max(end, b.id + const_shape(b)[0]);
  });
  if (end < 0) return nullptr;
  const bool by_id = context_.target.barriers.kind == Barriers::Kind::by_id;
  return do_call(Intrinsic::bar_reserve, {int_const(by_id ? end - 1 : end)});
}

}  // namespace tilelab
