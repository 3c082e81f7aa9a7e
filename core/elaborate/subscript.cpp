// SPDX-License-Identifier: Apache-2.0
// `x.name` and `x[index]`, for Python values and buffers.
#include <algorithm>

#include "core/analysis/bindings.h"
#include "core/elaborate/builtins/foreign.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/limits.h"
#include "core/elaborate/objects.h"
#include "core/ir/linear.h"
#include "core/ir/regions.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

namespace {

/// A dict key in Python syntax.
std::string key_text(const Value& key) {
  if (const auto* text = key.get<std::string>()) return "\"" + *text + "\"";
  if (auto number = integer_of(key)) return std::to_string(*number);
  return describe(key);
}

/// A tuple of numbers, as Python numbers if constant.
Value known_values(const std::vector<Expr>& exprs) {
  std::vector<Value> out;
  for (const Expr& e : exprs) {
    auto known = int_value(e);
    out.push_back(known ? Value(*known) : Value(e));
  }
  return tuple_of(std::move(out));
}

/// In the elements that the program sees, which may be vectors.
std::vector<Expr> visible_strides(const BufferInfo& buffer) {
  if (buffer.lanes == 1 || buffer.strides.empty()) return buffer.strides;
  std::vector<Expr> out;
  for (size_t d = 0; d < buffer.rank(); ++d)
    out.push_back(
        floordiv(buffer.strides[d], int_const(buffer.lanes, buffer.strides[d]->type.dtype)));
  return out;
}

std::optional<Value> attribute_of(const BufferRef& buffer, Symbol name) {
  const std::string& text = name.str();
  if (text == "dtype") return buffer->type();
  if (text == "shape") return known_values(buffer->visible_shape());
  if (text == "strides") return known_values(visible_strides(*buffer));
  if (text == "name") return buffer->name.str();
  if (text == "data") return buffer;  // the pointer to its elements
  if (text == "ndim") return static_cast<int64_t>(buffer->rank());
  if (text == "access_ptr") return Method{std::make_shared<Value>(buffer), name};
  if (text == "scope")
    return Method{std::make_shared<Value>(std::string(tilelab::name(buffer->scope))), name};
  return std::nullopt;
}

/// An element, if all dimensions have an index.
Value item_of(RegionValue box) {
  const bool element =
      std::all_of(box.dims.begin(), box.dims.end(), [](const SliceDim& dim) { return dim.point; });
  if (!element) return box;
  std::vector<Expr> indices;
  for (SliceDim& dim : box.dims) indices.push_back(std::move(dim.lo));
  return Expr(load(box.buffer->name, box.buffer->dtype, std::move(indices)));
}

/// As for Python arrays, an index drops its dimension.
std::optional<Value> attribute_of(const RegionValue& slice, Symbol name) {
  const std::string& text = name.str();
  if (text == "dtype") return slice.buffer->type();
  if (text == "buffer") return slice.buffer;
  std::vector<Expr> shape;
  for (size_t d = 0; d < slice.buffer->rank(); ++d)
    if (!slice.dims[d].point) shape.push_back(slice.dims[d].extent);
  if (text == "shape") return known_values(shape);
  if (text == "ndim") return static_cast<int64_t>(shape.size());
  return std::nullopt;
}

}  // namespace

Value Elaborator::eval_attribute(const syntax::Node& node) {
  Value object = eval(node.part(0));
  if (object.poisoned()) return {};
  if (object.is<HostRef>() || object.is<Builtin const*>()) {
    HostResult found = host_.attribute(object, node.name);
    return found.missing ? report_missing_attribute(node, object)
                         : of_program(host_value(std::move(found), node.span));
  }
  return attribute(object, node.name, node.span);
}

/// Reports a missing attribute of a Python object; usually a misspelled function of T.
Value Elaborator::report_missing_attribute(const syntax::Node& node, const Value& object) {
  HostResult copy = host_.attribute(object, "alloc_fragment");
  bool language = copy.ok() && copy.value.is<const Builtin*>();
  const syntax::Node& left = node.part(0);
  std::string shown = left.kind == syntax::Kind::name ? left.name.str() : language ? "T" : "";
  if (!language) {
    report(Diag::attribute_unknown, node.span, shown.empty() ? describe(object) : "`" + shown + "`",
           node.name)
        .help("it is a Python object from outside the kernel; see dir(" +
              (shown.empty() ? "..." : shown) + ")");
    return {};
  }
  Diagnostic& message = report(Diag::builtin_unknown, node.span, shown + "." + node.name.str());
  const std::string help = help_for_name_of_t(node.name.str(), shown);
  message.help(help.empty() ? "`%help T` lists the functions of T" : help);
  return {};
}

/// The `__name__` of functions, classes and modules, or "".
std::string Elaborator::host_name(const Value& object) {
  HostResult found = host_.attribute(object, "__name__");
  const std::string* text = found.ok() ? found.value.get<std::string>() : nullptr;
  return text ? *text : "";
}

Value Elaborator::attribute(const Value& object, Symbol name, Span span) {
  if (auto found = find_attribute(object, name, span)) return *found;
  Diagnostic& message = report(Diag::attribute_unknown, span, subject(object), name);
  if (object.is<BufferRef>())
    message.help(instead_of_method(name.str()));
  else if (object.is<Expr>() || object.is<VarValue>())
    message.help("values have dtype and astype(dtype)");
  else if (object.is<RegionValue>())
    message.help("slices have buffer, dtype, ndim and shape");
  else if (object.is<LayoutValue>())
    message.help("dir(T.Layout) and dir(T.Fragment) list the methods of layouts");
  else if (const ObjectValue* made = object.get<ObjectValue>())
    message.help(Objects::attributes_text(*this, *made));
  else
    message.help("this object has no attributes in a kernel");
  return {};
}

/// nullopt if there is no such attribute.
std::optional<Value> Elaborator::find_attribute(const Value& object, Symbol name, Span span) {
  const std::string& text = name.str();
  if (const BufferRef* buffer = object.get<BufferRef>()) return attribute_of(*buffer, name);
  if (const RegionValue* slice = object.get<RegionValue>()) return attribute_of(*slice, name);
  if (const ObjectValue* made = object.get<ObjectValue>())
    return Objects::attribute(*this, *made, name, span);
  if (const AddressValue* address = object.get<AddressValue>(); address && text == "dtype")
    return address->buffer->type();
  if (const SliceValue* slice = object.get<SliceValue>(); slice && !is_compile_time(object))
    for (const auto& [part, of] : {std::pair("start", slice->lo), std::pair("stop", slice->hi),
                                   std::pair("step", slice->step)})
      if (text == part) return *of;
  DType dtype = DType::i32;
  bool runtime = false;
  if (const Expr* expr = object.get<Expr>()) dtype = (*expr)->type.dtype, runtime = true;
  if (const VarValue* var = object.get<VarValue>()) dtype = var->dtype, runtime = true;
  if (runtime && text == "dtype") return DTypeValue{tilelang_name(dtype), dtype};
  if (runtime && text == "name" && object.is<VarValue>()) return object.get<VarValue>()->name.str();
  if ((runtime && text == "astype") || object.is<Sequence>() || object.is<Dictionary>())
    return Method{std::make_shared<Value>(object), name};
  if (is_compile_time(object)) {
    HostResult found = host_.attribute(object, name);
    if (!found.missing) return of_program(host_value(std::move(found), span));
  }
  return std::nullopt;
}

/// The indexed object. A buffer's name that a forgotten index rebound is not one.
Value Elaborator::eval_object(const syntax::Node& node) {
  const Binding* binding = node.kind == syntax::Kind::name ? find(node.name) : nullptr;
  if (binding && is_forgotten_index(diagnostics_, *binding)) return {};
  return eval(node);
}

Value Elaborator::eval_subscript(const syntax::Node& node) {
  Value object = eval_object(node.part(0));
  Value index = eval_index(node.part(1));
  if (object.poisoned() || index.poisoned()) return {};
  const Binding* binding =
      node.part(0).kind == syntax::Kind::name ? find(node.part(0).name) : nullptr;
  return subscript(object, index, node.span, binding ? binding->span : Span{});
}

/// `bound`: where the object's name was bound, if it has one.
Value Elaborator::subscript(const Value& object, const Value& index, Span span, Span bound) {
  if (object.is<BufferRef>() || object.is<RegionValue>()) {
    RegionValue box;
    return box_of(object, index, span, box) ? item_of(std::move(box)) : Value{};
  }
  if (const Sequence* items = object.get<Sequence>()) return sequence_item(*items, index, span);
  if (const VarValue* var = object.get<VarValue>())
    return Expr(name_ref(var->name, {var->dtype}));  // x[0] of T.alloc_var
  if (const Dictionary* dict = object.get<Dictionary>()) {
    if (const Value* entry = Objects::entry(*this, *dict, index, span)) return *entry;
    std::vector<std::string> keys;
    for (const auto& entry : *dict->items) keys.push_back(key_text(entry.first));
    report(Diag::index_static, span, "the dict has no key " + key_text(index))
        .help(keys.empty() ? "the dict is empty" : "its keys are " + join(keys, ", "));
    return {};
  }
  if (const Builtin* const* row = object.get<const Builtin*>()) {  // T.Tensor[(M, N), dtype]
    const Sequence* both = index.get<Sequence>();
    std::vector<Argument> positional;
    if (both && !both->is_list)
      for (const Value& item : *both->items) positional.push_back({item, span, true});
    else
      positional.push_back({index, span, true});
    return call_builtin(**row, std::move(positional), {}, span);
  }
  if (const AddressValue* address = object.get<AddressValue>()) {
    const auto dims = ForeignCall::pointed(*this, *address, index, span);
    if (!dims) return {};
    return Expr(load(address->buffer->name, address->buffer->dtype, lows(*dims)));
  }
  if (is_compile_time(object) && is_compile_time(index)) {
    HostResult result = host_.subscript(object, index);
    if (!result.needs_inline) return of_program(host_value(std::move(result), span));
  }
  if (auto made = Objects::special(*this, object, "__getitem__", {index}, span)) return *made;
  Diagnostic& message = report(Diag::subscript_type, span, subject(object));
  if (bound.known()) message.label(bound, "bound here");
  if (const Expr* expr = object.get<Expr>(); expr && as<Load>(*expr))
    message.help("write all indices in one pair of brackets: `A[i, j]`, not `A[i][j]`");
  else if (object.is<ObjectValue>())
    message.help("give its class a method `__getitem__`");
  else
    message.help("use brackets on buffers, tensors, lists, tuples and dicts");
  return {};
}

Value Elaborator::sequence_item(const Sequence& sequence, const Value& index, Span span) {
  int64_t size = static_cast<int64_t>(sequence.items->size());
  if (const SliceValue* slice = index.get<SliceValue>()) {
    auto part = [&](const Value& v, int64_t fallback) { return integer_of(v).value_or(fallback); };
    int64_t step = part(*slice->step, 1);
    if (step == 0) step = 1;
    auto wrap = [&](int64_t i) {
      return std::clamp(i < 0 ? i + size : i, int64_t{step < 0 ? -1 : 0},
                        step < 0 ? size - 1 : size);
    };
    int64_t lo = slice->lo->is<None>() ? (step < 0 ? size - 1 : 0) : wrap(part(*slice->lo, 0));
    int64_t hi = slice->hi->is<None>() ? (step < 0 ? -1 : size) : wrap(part(*slice->hi, size));
    std::vector<Value> items;
    for (int64_t i = lo; step > 0 ? i < hi : i > hi; i += step)
      items.push_back((*sequence.items)[static_cast<size_t>(i)]);
    return sequence.is_list ? list_of(std::move(items)) : tuple_of(std::move(items));
  }
  auto i = integer_of(index);
  if (!i) {
    report(Diag::static_needed, span, "the index of a Python list or tuple", describe(index))
        .help(
            "index a list of buffers with compile-time constants; for a dynamic index allocate one "
            "buffer with another dimension");
    return {};
  }
  if (*i < -size || *i >= size) {
    report(Diag::index_static, span,
           "index " + std::to_string(*i) + " is outside " + plural(size, "item"))
        .help(size ? "use indices from 0 to " + std::to_string(size - 1) + ", or from -1 down"
                   : std::string("it is empty"));
    return {};
  }
  return (*sequence.items)[static_cast<size_t>(*i < 0 ? *i + size : *i)];
}

/// What an index selects in a buffer, or in a slice: its dimensions without those with an index, as
/// for Python's arrays.
bool Elaborator::box_of(const Value& object, const Value& index, Span span, RegionValue& out) {
  const RegionValue* slice = object.get<RegionValue>();
  out.buffer = slice ? slice->buffer : *object.get<BufferRef>();
  if (!slice) return index_dims(out.buffer, index, span, out.dims);
  const bool ramps = std::any_of(slice->dims.begin(), slice->dims.end(),
                                 [](const SliceDim& dim) { return dim.ramp; });
  if (ramps || out.buffer->lanes > 1) {
    report(Diag::slice_of_slice, span, out.buffer->name).help("use one pair of brackets");
    return false;
  }
  auto part = std::make_shared<BufferInfo>(*out.buffer);
  part->name = part->name.str() + "[...]";  // in messages
  part->shape.clear();
  for (const SliceDim& dim : slice->dims)
    if (!dim.point) part->shape.push_back(dim.extent);
  std::vector<SliceDim> inner;
  if (!index_dims(part, index, span, inner)) return false;
  auto next = inner.begin();
  for (const SliceDim& dim : slice->dims) {
    out.dims.push_back(dim.point ? dim : *next++);
    if (dim.point) continue;
    const Expr lo = out.dims.back().lo;
    out.dims.back().lo =
        offset_by(lo->type.dtype == DType::i64 ? cast(DType::i64, dim.lo) : dim.lo, lo);
  }
  return true;
}

bool Elaborator::index_dims(const BufferRef& buffer, const Value& index, Span span,
                            std::vector<SliceDim>& dims) {
  const Sequence* several = index.get<Sequence>();
  std::vector<Value> indices = several ? *several->items : std::vector<Value>{index};
  size_t rank = buffer->rank();
  if (indices.size() != rank) {
    report(
        Diag::index_rank, span, buffer->name, plural(static_cast<int64_t>(rank), "dimension"),
        indices.size() == 1 ? std::string("1 index") : std::to_string(indices.size()) + " indices")
        .label(buffer->span, describe(buffer))
        .help("write an element as `" + element_text(*buffer) + "`" +
              (rank > 1 && indices.size() < rank ? "; `:` selects a whole dimension" : ""));
    return false;
  }
  for (size_t i = 0; i < rank; ++i) {
    SliceDim dim;
    if (!one_dim(buffer, i, indices[i], span, dim)) return false;
    dims.push_back(std::move(dim));
  }
  if (buffer->lanes > 1) dims.push_back({int_const(0), buffer->shape.back(), false});
  return true;
}

Expr Elaborator::widened_index(const Expr& index, const Expr& extent) const {
  const auto size = int_value(extent);
  return size && *size > INT32_MAX ? in_64_bits(index) : index;
}

Expr Elaborator::in_64_bits(const Expr& e) const {
  if (e->type.dtype != DType::i32) return e;
  if (const Bin* bin = as<Bin>(e);
      bin && (bin->op == BinOp::add || bin->op == BinOp::sub || bin->op == BinOp::mul))
    return binary(bin->op, in_64_bits(bin->a), in_64_bits(bin->b));
  if (const Name* name = as<Name>(e))
    if (const auto let = lets_.find(name->id);
        let != lets_.end() && is_invariant(let->second, vars_))
      return in_64_bits(let->second);
  return cast(DType::i64, e);
}

bool Elaborator::one_dim(const BufferRef& buffer, size_t dim, const Value& index, Span span,
                         SliceDim& out) {
  const Expr& extent = buffer->shape[dim];
  auto size = int_value(extent);
  auto outside = [&](int64_t i) {
    report(Diag::out_of_bounds, span,
           "index " + std::to_string(i) + " of `" + buffer->name.str() + "`", "",
           "dimension " + std::to_string(dim) + " has " + plural(*size, "element"))
        .as_error()
        .label(buffer->span, describe(buffer))
        .help("use indices from 0 to " + std::to_string(*size - 1) + "; -1 is the last");
    return false;
  };
  auto from_end = [&](const Value& v) -> Expr {  // a negative number counts from the end
    auto i = integer_of(v);
    Expr expr = to_index(v, span);
    if (!expr || !i || *i >= 0) return expr;
    const DType dtype = expr->type.dtype;
    return add(cast(dtype, extent), int_const(*i, dtype));
  };
  const SliceValue* slice = index.get<SliceValue>();
  if (!slice) {
    out.lo = from_end(index);
    out.extent = int_const(1);
    if (!out.lo) return false;
    out.lo = widened_index(out.lo, extent);
    auto i = int_value(out.lo);
    if (i && size && (*i < 0 || *i >= *size)) return outside(integer_of(index).value_or(*i));
    return true;
  }
  if (!slice->step->is<None>() && integer_of(*slice->step) != 1) {
    report(Diag::slice_step, span).help("loop with T.Parallel over the elements");
    return false;
  }
  out.point = false;
  out.lo = slice->lo->is<None>() ? int_const(0) : from_end(*slice->lo);
  Expr hi = slice->hi->is<None>() ? extent : from_end(*slice->hi);
  if (!out.lo || !hi) return false;
  out.lo = widened_index(out.lo, extent);
  hi = widened_index(hi, extent);
  out.ramp = slice->ramp && may_be_negative(out.lo);
  if (auto first = int_value(out.lo); first && *first < 0) return outside(*first);
  auto length = constant_difference(hi, out.lo, lets_);
  if (length && *length <= 0) {
    report(Diag::slice_empty, span, expr_text(out.lo), expr_text(hi))
        .help("`A[lo:hi]` contains lo to hi - 1; write a tile of 64 as `A[i : i + 64]`");
    return false;
  }
  if (auto end = int_value(hi); end && size && *end > *size && buffer->scope != Scope::global)
    return outside(*end - 1);
  out.extent = length ? int_const(*length)
                      : binary(BinOp::sub, cast(hi->type.dtype, hi), cast(hi->type.dtype, out.lo));
  return true;
}

std::optional<Elaborator::StaticRange> Elaborator::static_range(const Value& value) {
  const LoopFrame* frame = value.get<LoopFrame>();
  if (!frame || !frame->python_range) return std::nullopt;
  auto lo = int_value(frame->lo[0]), hi = int_value(frame->hi[0]), step = int_value(frame->step);
  if (!lo || !hi || !step || !*step) return std::nullopt;
  int64_t span = *step > 0 ? *hi - *lo : *lo - *hi, width = *step > 0 ? *step : -*step;
  return StaticRange{*lo, *step, span <= 0 ? 0 : (span + width - 1) / width};
}

/// The characters of a string in UTF-8, whose continuation bytes are 10xxxxxx.
static std::vector<Value> characters_of(const std::string& text) {
  std::vector<Value> out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    out.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

std::optional<std::vector<Value>> Elaborator::items_of(const Value& value, Span span) {
  if (const Sequence* items = value.get<Sequence>()) return *items->items;
  if (const Dictionary* dict = value.get<Dictionary>()) {
    std::vector<Value> keys;
    for (const auto& item : *dict->items) keys.push_back(item.first);
    return keys;
  }
  if (auto range = static_range(value)) {
    if (range->count > kMaxItems) {
      report_too_large({1, range->count}, span);
      return std::nullopt;
    }
    std::vector<Value> items;
    for (int64_t i = 0; i < range->count; ++i) {
      host_.poll();
      items.emplace_back(range->first + i * range->step);
    }
    return items;
  }
  if (const Expr* expr = value.get<Expr>(); expr && (*expr)->type.scalar())
    return std::vector<Value>{value};  // `as (bx,)` for a grid with one dimension
  const HostRef* object = value.get<HostRef>();
  HostResult made = object ? host_.iterate(*object) : HostResult{};
  if (value.is<ObjectValue>() || made.needs_inline)
    if (auto items = Objects::iterated(*this, value, span))
      return items->poisoned() ? std::nullopt : items_of(*items, span);
  if (object) {
    Value items = host_value(std::move(made), span);
    if (const Sequence* all = items.get<Sequence>()) return *all->items;
    if (items.poisoned()) return std::nullopt;
  }
  if (const auto* text = value.get<std::string>()) return characters_of(*text);
  Diagnostic& message = report(Diag::not_iterable, span, subject(value));
  if (const LoopFrame* frame = value.get<LoopFrame>(); frame && frame->python_range)
    message.mark("ends at a dynamic value")
        .help(
            "loop with `for i in range(...):` and keep the values in a buffer: a list is built at "
            "compile time");
  else if (value.is<LoopFrame>())
    message.help("use several extents in one loop: `for i, j in T.Parallel(64, 32):`");
  else if (value.is<BufferRef>())
    message.help("loop over its indices: " + loop_text(**value.get<BufferRef>(), "... {} ..."));
  else if (value.is<ObjectValue>())
    message.help("give its class a generator `__iter__`, or `__len__` and `__getitem__`");
  else if (value.is<int64_t>())
    message.help("write range(" + std::to_string(*value.get<int64_t>()) + ")");
  else
    message.help("iterate over range(...), T.serial, T.Parallel or a similar loop, or a list");
  return std::nullopt;
}

}  // namespace tilelab::elaborate
