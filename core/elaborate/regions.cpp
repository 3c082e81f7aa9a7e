// SPDX-License-Identifier: Apache-2.0
// Operands of tile operations. Three notations: a whole buffer, a slice `A[i:j]`, and an element
// `A[i, j]` that only gives the start of the box, with the extents of the other operand. Rules of
// the extents: reference of TileLang's T.copy, docs/language.
#include <algorithm>

#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/ir/regions.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

/// The element that an expression reads, also by the name of a let: an address for tile operations.
const Load* Elaborator::element_read(const Expr& expr) const {
  const Name* name = as<Name>(expr);
  const auto let = name ? lets_.find(name->id) : lets_.end();
  return as<Load>(let == lets_.end() ? expr : let->second);
}

bool is_element(const RegionValue& region) {
  const size_t rank = region.buffer->rank();
  return std::all_of(region.dims.begin(), region.dims.begin() + static_cast<ptrdiff_t>(rank),
                     [](const SliceDim& dim) { return dim.point; });
}

std::optional<Operand> Elaborator::operand_of(const Value& value, Span span) {
  Operand out;
  out.span = span;
  if (const BufferRef* buffer = value.get<BufferRef>()) {
    out.buffer = *buffer;
    for (const Expr& extent : (*buffer)->shape) out.dims.push_back({int_const(0), extent, false});
    return out;
  }
  if (const RegionValue* slice = value.get<RegionValue>()) {
    out.form = is_element(*slice) ? Operand::Form::head : Operand::Form::slice;
    out.buffer = slice->buffer;
    out.dims = slice->dims;
    return out;
  }
  const Expr* expr = value.get<Expr>();
  const Load* load = expr ? element_read(*expr) : nullptr;
  if (!load) return std::nullopt;
  out.form = Operand::Form::head;
  out.buffer = buffer_named(load->buffer);
  if (!out.buffer) return std::nullopt;
  for (const Expr& index : load->index) out.dims.push_back({index, int_const(1), true});
  return out;
}

/// `of_vectors`: whether the operation accepts buffers of vectors.
std::optional<Operand> Elaborator::operand(const Argument& argument, bool of_vectors) {
  auto found = operand_of(argument.value, argument.span);
  if (found && found->buffer->lanes > 1 && !of_vectors) {
    const BufferInfo& buffer = *found->buffer;
    report(Diag::vector_operand, argument.span, type_text({buffer.dtype, buffer.lanes}))
        .label(buffer.span, describe(found->buffer))
        .help("use a view of its elements: T.view(" + buffer.name.str() + ", (..., " +
              std::to_string(buffer.lanes) + "), \"" + tilelang_name(buffer.dtype) + "\")");
    return std::nullopt;
  }
  if (found && found->form == Operand::Form::whole)
    for (const SliceDim& dim : found->dims)
      if (!check_extent(dim.extent, "`" + found->buffer->name.str() + "`", 1, argument.span))
        return std::nullopt;
  if (!found && !argument.value.poisoned())
    report(Diag::region_needed, argument.span, describe(argument.value))
        .help(argument.value.is<Expr>()
                  ? "use a buffer or a slice of it; compute elements in a loop: "
                    "`for i in T.Parallel(...):`"
                  : "use a buffer, a slice `A[a:b, ...]`, or an element `A[i, ...]` where the box "
                    "starts");
  return found;
}

std::optional<std::vector<int64_t>> Elaborator::extents_of(const Operand& operand) {
  std::vector<int64_t> out;
  for (const SliceDim& dim : operand.dims) {
    auto extent = int_value(dim.extent);
    if (!extent) {
      report(Diag::extent_dynamic, operand.span, expr_text(dim.extent))
          .help(
              "use a constant extent: `A[i : i + 64]`, or only the start `A[i]` if the other side "
              "has the extents");
      return std::nullopt;
    }
    out.push_back(*extent);
  }
  return out;
}

Expr Elaborator::region_of(const Operand& operand) {
  auto extents = extents_of(operand);
  if (!extents) return nullptr;
  std::vector<RegionDim> dims;
  for (size_t i = 0; i < operand.dims.size(); ++i)
    dims.push_back({operand.dims[i].lo, (*extents)[i], operand.dims[i].point});
  return at(operand.span, region(operand.buffer->name, operand.buffer->dtype, std::move(dims)));
}

Expr Elaborator::whole_region(const Argument& argument, std::string_view what) {
  auto found = operand(argument);
  if (!found) return nullptr;
  if (found->form == Operand::Form::head) {
    report(Diag::region_head, argument.span, what)
        .help("use a buffer or a slice `A[a:b, ...]`, which gives the extents of the tile");
    return nullptr;
  }
  return region_of(*found);
}

/// Sets the extents of a head to those of the other side.
bool Elaborator::fill_head(Operand& head, const Operand& other) {
  std::vector<Expr> wanted;
  for (const SliceDim& dim : other.dims) wanted.push_back(dim.extent);
  const std::string text = join(wanted, "x", expr_text);
  // Right-aligned; excess leading extents must be 1.
  while (wanted.size() > head.dims.size()) {
    auto one =
        std::find_if(wanted.begin(), wanted.end(), [](const Expr& e) { return is_int(e, 1); });
    if (one == wanted.end()) {
      report(Diag::copy_rank, head.span, head.buffer->name,
             plural(static_cast<int64_t>(head.dims.size()), "dimension"), text)
          .label(head.buffer->span, describe(head.buffer))
          .label(other.span, text)
          .help("copy a slice of as many dimensions as `" + head.buffer->name.str() +
                "` has, or T.reshape the other side");
      return false;
    }
    wanted.erase(one);
  }
  size_t skip = head.dims.size() - wanted.size();
  for (size_t i = 0; i < wanted.size(); ++i) {
    head.dims[skip + i].extent = wanted[i];
    head.dims[skip + i].point = is_int(wanted[i], 1);
  }
  return true;
}

/// Sets the extents of heads to those of the other side and compares extents other than 1. `a` and
/// `b` are not both heads.
bool Elaborator::match_extents(Operand& a, Operand& b) {
  if (!extents_of(a.form == Operand::Form::head ? b : a)) return false;
  if (a.form == Operand::Form::head && !fill_head(a, b)) return false;
  if (b.form == Operand::Form::head && !fill_head(b, a)) return false;
  auto left = extents_of(a), right = extents_of(b);
  if (!left || !right) return false;
  if (without_ones(*left) == without_ones(*right)) return true;
  auto place = [](const Operand& o, const std::vector<int64_t>& e) {
    return extents_text(e) + (o.form == Operand::Form::whole ? ", all of " + o.buffer->name.str()
                                                             : " of " + o.buffer->name.str());
  };
  report(Diag::copy_shape, a.span, extents_text(*left), extents_text(*right))
      .mark(place(a, *left))
      .label(b.span, place(b, *right))
      .label(b.buffer->span, describe(b.buffer))
      .help(copy_help(*a.buffer, *left, *b.buffer, *right, slice_of_tile(a, b)));
  return false;
}

// ---- the operations

/// Reports two elements as operands, which give the start of a tile but no extents. Not reported in
/// T.Parallel, for one-element buffers or with per-thread indices: there one element is intended.
void Elaborator::report_one_element(const Operand& src, const Operand& dst, Span span) {
  auto single = [](const Operand& o) {
    return std::all_of(o.buffer->shape.begin(), o.buffer->shape.end(),
                       [](const Expr& extent) { return is_int(extent, 1); });
  };
  auto by_thread = [&](const Operand& o) {
    return std::any_of(o.dims.begin(), o.dims.end(),
                       [&](const SliceDim& dim) { return mentions(inline_lets(dim.lo), "tid"); });
  };
  if (parallel_ > 0 || single(src) || single(dst) || by_thread(dst)) return;
  const Operand& tile = src.buffer->scope != Scope::global ? src : dst;
  std::string whole = "a slice `A[a:b]` on one side";
  if (tile.buffer->scope != Scope::global)
    whole = "`" + tile.buffer->name.str() + "` without an index, or " + whole;
  report(Diag::copy_one_element, span)
      .label(src.buffer->span, describe(src.buffer))
      .label(dst.buffer->span, describe(dst.buffer))
      .help("for a tile use " + whole + "; for one element use an assignment: `B[j] = A[i]`");
}

/// The lowering strategies that the program requests or forbids for a copy.
static std::vector<Attr> strategy_attrs(Arguments& args) {
  std::vector<Attr> out;
  const auto given = [&](const char* name) {
    return args.row->has_parameter(name) && args.has(name);
  };
  for (const char* name : {"disable_tma", "force_async_copy"})
    if (given(name) && integer_of(args[name].value).value_or(0) != 0)
      out.push_back(attr(name, true));
  if (given("prefer_instruction"))
    if (const auto* text = args["prefer_instruction"].value.get<std::string>())
      out.push_back(attr("prefer_instruction", *text));
  if (given("coalesced_width"))
    if (const auto width = integer_of(args["coalesced_width"].value))
      out.push_back(attr("coalesced_width", *width));
  return out;
}

/// The cache policy of a copy, which holds for all loads of its tensor. Returns whether it has a
/// known name.
bool Elaborator::take_eviction_policy(Arguments& args, const Operand& src) {
  const std::string called = "T." + args.row->name;
  const Argument& given = args["eviction_policy"];
  static const std::array<std::string, 3> names{"evict_normal", "evict_first", "evict_last"};
  const std::string* text = given.value.get<std::string>();
  const auto number = text ? std::find(names.begin(), names.end(), *text) - names.begin()
                           : integer_of(given.value).value_or(given.value.is<None>() ? 0 : -1);
  if (number < 0 || number >= int64_t(names.size())) {
    report(Diag::statement_unsupported, given.span,
           called + " with eviction_policy=" + word_text(given.value))
        .help("use \"evict_normal\" or \"evict_first\"");
    return false;
  }
  const bool tensor = src.buffer->scope == Scope::global;
  if (names[size_t(number)] == "evict_first" && tensor)
    root_of(src.buffer).evict_first = true;
  else if (number != 0 && reported_options_.insert(args.row->name + ".eviction_policy").second)
    report(usage::option_no_effect, given.span, "`eviction_policy` of " + called)
        .note(tensor ? "loads can only mark cache lines as the first to evict"
                     : "stores to tensors have no cache policy");
  return true;
}

/// A copy from or to a variable, treated as a tile of one element.
Value Elaborator::copy_variable(Arguments& args) {
  if (!need_kernel(args.span, "T.copy")) return {};
  const VarValue *from = args["src"].value.get<VarValue>(), *to = args["dst"].value.get<VarValue>();
  const auto other = from && to ? std::nullopt : operand(args[from ? "dst" : "src"]);
  std::vector<Expr> index;
  if (!from || !to) {
    if (!other) return {};
    const auto extents = extents_of(*other);
    if (!extents) return {};
    if (!without_ones(*extents).empty()) {
      const std::string many = extents_text(without_ones(*extents)), one = "a variable";
      report(Diag::copy_shape, other->span, from ? one : many, from ? many : one)
          .label(other->buffer->span, describe(other->buffer))
          .help(
              "copy one element, or allocate a buffer with T.alloc_local: a variable holds one "
              "element");
      return {};
    }
    index = lows(other->dims);
  }
  Expr value = from ? name_ref(from->name, {from->dtype})
                    : load(other->buffer->name, other->buffer->dtype, std::move(index));
  if (to) {
    assign_var(*to, cast(to->dtype, value), args.span);
    return None{};
  }
  std::vector<SliceDim> place = other->dims;
  for (SliceDim& dim : place) dim.point = true;
  store_element(other->buffer, place, cast(other->buffer->dtype, value), args.span);
  return None{};
}

Value Elaborator::on_copy(Arguments& args) {
  if (args["src"].value.is<VarValue>() || args["dst"].value.is<VarValue>())
    return copy_variable(args);
  auto src = operand(args["src"], true), dst = operand(args["dst"], true);
  if (!src || !dst || !need_kernel(args.span, "T.copy")) return {};
  using Form = Operand::Form;
  const bool one = src->form == Form::head && dst->form == Form::head;
  if (one) report_one_element(*src, *dst, args.span);
  if (!take_eviction_policy(args, *src)) return {};
  if (args.has("src_robust_desc")) return copy_in_range(args, *src, *dst);
  if (one) {
    store_element(dst->buffer, dst->dims, args["src"].value, args.span);
    return None{};
  }
  return copy_tile(args, *src, *dst);
}

Value Elaborator::copy_tile(Arguments& args, Operand& src, Operand& dst) {
  use_fragment_extents(src, dst), use_fragment_extents(dst, src);
  extend_past_edge(src, dst, lets_), extend_past_edge(dst, src, lets_);
  if (src.is_dynamic() || dst.is_dynamic()) return copy_dynamic(args, src, dst);
  if (!match_extents(src, dst)) return {};
  Copy copy;
  copy.src = region_of(src);
  copy.dst = region_of(dst);
  if (!copy.src || !copy.dst) return {};
  copy.attrs = strategy_attrs(args);
  if (const Attr* unit = find_attr(copy.attrs, "prefer_instruction")) {
    const std::set<std::string> units{"tma", "cp_async", "cp.async", "sync"};
    if (!units.count(unit->string)) {
      report(Diag::statement_unsupported, args["prefer_instruction"].span,
             "T.copy with prefer_instruction=\"" + unit->string + "\"")
          .help("use \"tma\", \"cp_async\" or \"sync\"");
      return {};
    }
  }
  if (!loop_layout(args, long_extents(copy.dst), copy.layout)) return {};
  emit(make(std::move(copy)), args.span);
  return None{};
}

Value Elaborator::on_fill(Arguments& args) {
  bool clear = args.row->data == "clear";
  if (const VarValue* var = args["buffer"].value.get<VarValue>()) {
    assign_var(*var, clear ? Value(0) : args["value"].value, args.span);
    return None{};
  }
  auto dst = operand(args["buffer"], true);
  if (!dst || !need_kernel(args.span, "T." + args.row->name)) return {};
  Value value = clear ? Value(0) : args["value"].value;
  if (dst->is_dynamic()) return fill_dynamic(args, *dst, value);
  Fill fill;
  fill.dst = region_of(*dst);
  fill.value = to_dtype(value, dst->buffer->dtype, clear ? args.span : args["value"].span);
  if (!fill.dst || !fill.value) return {};
  emit(make(std::move(fill)), args.span);
  return None{};
}

/// dst = src with its last two dimensions exchanged.
Value Elaborator::on_transpose(Arguments& args) {
  auto src = operand(args["src"]), dst = operand(args["dst"]);
  if (!src || !dst || !need_kernel(args.span, "T.transpose")) return {};
  auto from = extents_of(*src), to = extents_of(*dst);
  if (!from || !to) return {};
  size_t n = from->size();
  std::vector<int64_t> swapped = *from;
  if (n >= 2) std::swap(swapped[n - 1], swapped[n - 2]);
  if (n < 2 || swapped != *to) {
    report(Diag::copy_shape, src->span, extents_text(swapped), extents_text(*to))
        .mark(extents_text(*from) + ", transposed " + extents_text(swapped))
        .label(dst->span, extents_text(*to))
        .help(n < 2 ? "use a tile of two dimensions or more: T.transpose exchanges the last two"
                    : "allocate the destination as " + tuple_text(swapped));
    return {};
  }
  Parallel loop;
  ir_.open_block();
  std::vector<RegionDim> target;
  std::vector<Expr> source;
  std::vector<Expr> names;
  for (size_t i = 0; i < n; ++i) {
    loop.vars.push_back(ir_.fresh("i"));
    loop.extents.push_back(int_const((*from)[i]));
    names.push_back(name_ref(loop.vars.back(), {DType::i32}));
    source.push_back(offset_by(src->dims[i].lo, names.back()));
  }
  std::swap(names[n - 1], names[n - 2]);
  for (size_t i = 0; i < n; ++i) target.push_back(point(offset_by(dst->dims[i].lo, names[i])));
  Expr value = cast(dst->buffer->dtype, load(src->buffer->name, src->buffer->dtype, source));
  emit(tilelab::store(dst->buffer->name, std::move(target), std::move(value)), args.span);
  loop.body = ir_.close_block();
  emit(make(std::move(loop)), args.span);
  return None{};
}

}  // namespace tilelab::elaborate
