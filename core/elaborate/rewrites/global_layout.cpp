// SPDX-License-Identifier: Apache-2.0
// T.annotate_layout of a tensor defines the order of its elements in memory, as in TileLang. The
// layout's coordinates index a row-major view of the same memory; every access of the kernel is
// redirected to it. The next kernel that reads the tensor needs the same layout.
#include <algorithm>
#include <map>
#include <numeric>

#include "core/analysis/effects.h"
#include "core/analysis/ranges.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/rewrites/half_bytes.h"
#include "core/ir/regions.h"
#include "core/ir/traverse.h"
#include "core/layout/forward.h"

namespace tilelab::elaborate {
namespace {

const std::string kUnseen = "has a coordinate of unknown range: ";

bool one_element(const Region& region) {
  return std::all_of(region.dims.begin(), region.dims.end(),
                     [](const RegionDim& dim) { return dim.extent == 1; });
}

/// Places of all elements; nullopt for a very large tensor.
std::optional<std::vector<Index>> places_of_few(const ElementMap& map, const Index& shape) {
  constexpr int64_t kMaxElements = 1 << 18;
  if (ForwardMap{shape, {}, 0, {}}.elements() > kMaxElements) return std::nullopt;
  return all_places(map, shape);
}

/// Two elements with the same place.
struct Clash {
  Index first, second, place;
};
std::optional<Clash> clash(const ElementMap& map, const Index& shape) {
  const auto places = places_of_few(map, shape);
  if (!places) return std::nullopt;
  std::map<Index, size_t> owner;
  const ForwardMap elements{shape, {}, 0, {}};
  for (size_t e = 0; e < places->size(); ++e) {
    const auto [found, fresh] = owner.emplace((*places)[e], e);
    if (!fresh)
      return Clash{elements.element(int64_t(found->second)), elements.element(int64_t(e)),
                   (*places)[e]};
  }
  return std::nullopt;
}

/// The range of each coordinate: from all elements, or by range analysis if there are too many;
/// with a negative bound if it is unknown.
std::vector<Range> ranges_of(const ElementMap& map, const Index& shape) {
  std::vector<Range> out;
  if (const auto places = places_of_few(map, shape)) {
    for (size_t k = 0; k < map.places.size(); ++k) {
      Range seen = Range::exactly((*places)[0][k]);
      for (const Index& place : *places)
        seen = {std::min(seen.lo, place[k]), std::max(seen.hi, place[k])};
      out.push_back(seen);
    }
    return out;
  }
  RangeAnalysis facts;
  for (size_t d = 0; d < shape.size(); ++d)
    facts.set(map.names[d], {0, std::max<int64_t>(shape[d] - 1, 0)});
  for (const Expr& place : map.places) out.push_back(facts.range(place));
  return out;
}

/// The dimensions in which a box is always in bounds.
std::vector<bool> dims_inside(const Region& box, const Index& shape) {
  std::vector<bool> out;
  for (size_t d = 0; d < box.dims.size(); ++d) {
    const auto lo = int_value(box.dims[d].lo);
    out.push_back(lo && *lo >= 0 && *lo + box.dims[d].extent <= shape[d]);
  }
  return out;
}

/// Substitutes lets into the places; false if there is any other statement.
bool substitute_lets(const std::vector<Stmt>& stmts, std::vector<Expr>& places) {
  Substitution values;
  for (const Stmt& s : stmts) {
    const Let* let = as<Let>(s);
    if (!let) return false;
    values[let->name] = substitute(let->value, values);
  }
  for (Expr& place : places) place = substitute(place, values);
  return true;
}

}  // namespace

/// The function's result for symbolic indices; nullopt after an error.
std::optional<std::vector<Expr>> Elaborator::coordinates_at(const Value& function,
                                                            const std::vector<Symbol>& names,
                                                            Span span) {
  std::vector<Argument> arguments;
  for (Symbol name : names) arguments.push_back({Expr(name_ref(name, {DType::i32})), span, true});
  ir_.open_side_block();
  Value result = call(function, std::move(arguments), {}, span, span);
  std::vector<Value> items{result};
  if (const Sequence* list = result.get<Sequence>()) items = *list->items;
  std::vector<Expr> out;
  for (const Value& item : items)
    if (Expr place = item.poisoned() ? Expr() : to_dtype(item, DType::i32, span))
      out.push_back(std::move(place));
  const std::vector<Stmt> stmts = ir_.close_side_block();
  if (out.size() != items.size()) return std::nullopt;
  if (substitute_lets(stmts, out)) return out;
  report(Diag::layout_form, span, "this tensor", "computes with statements")
      .help("write it as one expression: lambda i, j: [i // 8, j, i % 8]");
  return std::nullopt;
}

bool Elaborator::annotate_global(const BufferRef& buffer, const Value& value, Span span) {
  const std::string what = "tensor `" + buffer->name.str() + "`";
  const LayoutValue* given = value.get<LayoutValue>();
  const bool callable = value.is<FunctionValue>() || value.is<HostRef>();
  if (!callable && (!given || !given->function)) {
    report(Diag::layout_kind, span, what, given ? "this layout" : describe(value))
        .label(buffer->span, "declared here")
        .help("use T.Layout(A.shape, lambda i, j: [...]) for a tensor, made in the kernel");
    return false;
  }
  GlobalLayout layout;
  Index shape, extents;
  int64_t elements = 1, places = 1;
  for (const Expr& extent : buffer->shape) {
    layout.names.push_back(ir_.fresh("at", true));
    const auto known = int_value(extent);
    if (!known || !buffer->strides.empty()) {
      report(Diag::layout_form, span, what, "needs constant extents, without strides")
          .label(buffer->span, "declared here")
          .help("give the tensor a constant shape, or use T.const");
      return false;
    }
    shape.push_back(*known);
    elements *= *known;
  }
  auto found = coordinates_at(callable ? value : *given->function, layout.names, span);
  if (!found) return false;
  layout.places = std::move(*found);
  const ElementMap map{layout.names, layout.places, {}};
  if (auto both = clash(map, shape)) {
    report(Diag::layout_injective, span, what, tuple_text(both->first), tuple_text(both->second),
           tuple_text(both->place))
        .label(buffer->span, "declared here")
        .help("give each element a separate location");
    return false;
  }
  for (const Range& range : ranges_of(map, shape)) {
    if (range.lo < 0) {
      report(Diag::layout_form, span, what, kUnseen + expr_text(layout.places[extents.size()]))
          .help("build it from //, %, + and * of single indices");
      return false;
    }
    extents.push_back(range.hi + 1);
    layout.shape.push_back(int_const(range.hi + 1));
    places *= range.hi + 1;
  }
  if (places != elements) {
    report(Diag::layout_shape, span, "a layout of " + extents_text(extents) + " locations",
           "`" + buffer->name.str() + "` of " + std::to_string(elements) + " elements")
        .label(buffer->span, "declared here")
        .help("use a layout with exactly one location for each element");
    return false;
  }
  layout.bounds = shape;
  layout.view = ir_.fresh(buffer->name.str() + "_laid", true);
  layout.of = buffer, layout.span = span;
  global_layouts_[buffer->name] = std::move(layout);
  return true;
}

/// A view whose first extent the kernel computes: a view of the whole memory, in which elements
/// past that extent read as 0 and are not stored.
Value Elaborator::view_of_rows(const BufferRef& source, std::vector<Expr> shape, DType dtype,
                               Span span) {
  BufferRef root = source;
  while (root->viewed) root = root->viewed;
  int64_t row = value_bits(dtype);  // bits; 0: unknown
  for (size_t d = 1; d < shape.size(); ++d) row *= int_value(shape[d]).value_or(0);
  const int64_t bits = value_bits(root->dtype), both = std::max<int64_t>(std::gcd(row, bits), 1);
  Expr elements = int_const(bits / both);
  for (const Expr& extent : root->shape) elements = mul(elements, cast(DType::i32, extent));
  if (row == 0 || !root->strides.empty() || in_pairs(*root) || in_pairs(dtype, Scope::global)) {
    report(Diag::extent_dynamic, span, shape_text(shape))
        .label(root->span, describe(root))
        .help(
            "only the first extent of a view can be dynamic: make the others constant, and use a "
            "tensor without strides");
    return {};
  }
  const Expr whole = floordiv(elements, int_const(row / both));
  GlobalLayout layout;
  const Value rows = let_value("rows", cast(DType::i32, shape[0]), span);
  shape[0] = to_expr(rows, span);
  for (const Expr& extent : shape) {
    layout.names.push_back(ir_.fresh("at", true));
    layout.places.push_back(name_ref(layout.names.back(), {DType::i32}));
    const Expr& at = layout.places.back();
    layout.inside = land(layout.inside, land(ge(at, int_const(0)), lt(at, extent)));
  }
  layout.shape = shape;
  layout.shape[0] = whole;
  BufferRef made = declare(hint_ ? hint_ : Symbol(source->name.str() + "_view"), Scope::global,
                           dtype, std::move(shape), span);
  layout.view = ir_.fresh(made->name.str() + "_all", true);
  layout.of = root;
  layout.span = span;
  made->viewed = root;
  global_layouts_[made->name] = std::move(layout);
  return made;
}

/// Whether a coordinate is the index of the dimension: out of bounds together.
static bool is_coordinate(const GlobalLayout& layout, size_t d) {
  for (size_t k = 0; k < layout.places.size(); ++k)
    if (const Name* name = as<Name>(layout.places[k]);
        name && name->id == layout.names[d] && int_value(layout.shape[k]) == layout.bounds[d])
      return true;
  return false;
}

std::vector<Expr> laid_out(const GlobalLayout& layout, const std::vector<Expr>& index,
                           const std::vector<bool>& inside) {
  Substitution values;
  Expr within;
  for (size_t d = 0; d < index.size(); ++d) {
    const Expr at = cast(DType::i32, index[d]);
    values[layout.names[d]] = at;
    if (layout.bounds.empty() || (d < inside.size() && inside[d])) continue;
    if (is_coordinate(layout, d)) continue;
    within = land(within, land(ge(at, int_const(0)), lt(at, int_const(layout.bounds[d]))));
  }
  std::vector<Expr> out;
  for (const Expr& place : layout.places) out.push_back(substitute(place, values));
  if (within) out[0] = select(within, out[0], layout.shape[0]);
  return out;
}

/// A tile operation on a laid out tensor as a T.Parallel over its elements; null if the operation
/// is not elementwise.
Stmt Elaborator::elementwise_loop(const Stmt& stmt) {
  const Copy* copy = as<Copy>(stmt);
  const Fill* fill = as<Fill>(stmt);
  const Atomic* atomic = as<Atomic>(stmt);
  if (!copy && !fill && !atomic) return nullptr;
  const Region& dst = to<Region>(copy ? copy->dst : fill ? fill->dst : atomic->dst);
  Parallel loop;
  std::vector<Expr> position;
  for (const RegionDim& dim : dst.dims) {
    if (dim.extent == 1) continue;
    loop.vars.push_back(ir_.fresh("i", true));
    loop.extents.push_back(int_const(dim.extent));
    position.push_back(name_ref(loop.vars.back(), {DType::i32}));
  }
  struct Place {
    Symbol buffer;
    std::vector<Expr> index;
    Expr inside;  // null: always
  };
  auto place_of = [&](const Region& region) -> Place {
    std::vector<Expr> index = element_in(region, position);
    auto found = global_layouts_.find(region.buffer);
    if (found == global_layouts_.end()) return {region.buffer, std::move(index), nullptr};
    const GlobalLayout& layout = found->second;
    const auto known =
        layout.bounds.empty() ? std::vector<bool>{} : dims_inside(region, layout.bounds);
    return {layout.view, laid_out(layout, index, known), inside_of(layout, index)};
  };
  auto value_of = [&](const Expr& value) -> Expr {
    const Region* region = as<Region>(value);
    if (!region) return value;
    const Place from = place_of(*region);
    const Expr element = load(from.buffer, region->type.dtype, from.index);
    return cast(dst.type.dtype, from.inside
                                    ? select(from.inside, element, number(0, region->type.dtype))
                                    : element);
  };
  auto [buffer, index, inside] = place_of(dst);
  const Expr value = value_of(copy ? copy->src : fill ? fill->value : atomic->value);
  if (atomic)
    loop.body = do_call(intrinsic_of(atomic->op),
                        {region(buffer, dst.type.dtype, points(std::move(index))), value},
                        {attr("order", atomic->order)});
  else
    loop.body = tilelab::store(buffer, points(std::move(index)), value);
  if (inside) loop.body = if_then(inside, loop.body);
  loop.body = at(stmt->span, loop.body);
  return loop.vars.empty() ? loop.body : at(stmt->span, Stmt(make(std::move(loop))));
}

Expr inside_of(const GlobalLayout& layout, const std::vector<Expr>& index) {
  if (!layout.inside) return nullptr;
  Substitution values;
  for (size_t i = 0; i < index.size(); ++i) values[layout.names[i]] = cast(DType::i32, index[i]);
  return substitute(layout.inside, values);
}

Expr Elaborator::laid_out_expr(const Expr& e) {
  if (const Load* l = as<Load>(e))
    if (auto found = global_layouts_.find(l->buffer); found != global_layouts_.end()) {
      const Expr element =
          load(found->second.view, l->type.dtype, laid_out(found->second, l->index));
      const Expr inside = inside_of(found->second, l->index);
      return inside ? select(inside, element, number(0, l->type.dtype)) : element;
    }
  if (const Region* r = as<Region>(e); r && one_element(*r))
    if (auto found = global_layouts_.find(r->buffer); found != global_layouts_.end())
      return region(found->second.view, r->type.dtype,
                    points(laid_out(found->second, element_in(*r, {}))));
  return e;
}

/// The kernel's body with every access to a laid out tensor redirected to its view.
Stmt Elaborator::with_global_layouts(const Stmt& body) {
  if (global_layouts_.empty()) return body;
  auto touches = [&](const Stmt& s) -> const GlobalLayout* {
    for (const tilelab::Operand& operand : operands_of(*s)) {
      auto found = global_layouts_.find(operand.region ? operand.region->buffer : operand.buffer);
      if (found != global_layouts_.end()) return &found->second;
    }
    return nullptr;
  };
  Stmt made = rewrite(
      body, [&](const Expr& e) { return laid_out_expr(e); },
      [&](const Stmt& s) -> Stmt {
        const GlobalLayout* layout = touches(s);
        if (!layout) return s;
        if (const Store* store = as<Store>(s)) {
          Region whole;
          whole.buffer = store->buffer, whole.dims = store->dims;
          if (one_element(whole)) {
            const std::vector<Expr> index = element_in(whole, {});
            const Stmt made =
                at(s->span,
                   tilelab::store(layout->view, points(laid_out(*layout, index)), store->value));
            const Expr inside = inside_of(*layout, index);
            return inside ? at(s->span, if_then(inside, made)) : made;
          }
        } else if (Stmt loop = elementwise_loop(s)) {
          return loop;
        }
        report(Diag::layout_kind, s->span, "the tensor of this operation", "T.annotate_layout")
            .label(layout->span, "laid out here")
            .help(
                "copy it to shared memory first: T.copy, T.fill, atomics and elements go through "
                "the layout");
        return s;
      });
  std::vector<Stmt> all;
  for (auto& [name, layout] : global_layouts_) {
    View view;
    view.name = layout.view, view.buffer = layout.of->name, view.dtype = buffer_named(name)->dtype;
    view.shape = layout.shape;
    all.push_back(at(layout.span, Stmt(make(std::move(view)))));
    layout.view = ir_.fresh(layout.view, true);  // for another part of the kernel
  }
  all.push_back(std::move(made));
  return seq(std::move(all));
}

}  // namespace tilelab::elaborate
