// SPDX-License-Identifier: Apache-2.0
// Builtins that create tensors, buffers, variables, symbols and views.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/rewrites/half_bytes.h"
#include "core/ir/linear.h"
#include "core/support/extents.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

std::optional<DType> Elaborator::dtype_of(const Value& value, Span span, bool quiet) {
  if (const DTypeValue* dtype = value.get<DTypeValue>()) {
    if (dtype->known) return dtype->known;
    if (auto known = dtype_from_name(dtype->name)) return known;
    if (!quiet) report_dtype(dtype->name, span);
    return std::nullopt;
  }
  if (const auto* text = value.get<std::string>()) {
    if (auto known = dtype_from_name(*text)) return known;
    if (quiet) return std::nullopt;
    if (type_from_name(*text)) {
      report_dtype(*text, span);
      return std::nullopt;
    }
    Diagnostic& message = report(Diag::dtype_unknown, span, *text);
    if (std::string ours = dtype_alias(*text); !ours.empty())
      message.help("did you mean `" + ours + "`?");
    else if (!suggest(message, *text, dtype_names()))
      message.help("such as float16, bfloat16, float32, int32, uint8");
    return std::nullopt;
  }
  if (const HostRef* object = value.get<HostRef>()) {
    HostResult found = host_.dtype(*object);
    if (found.ok() && found.value.is<DTypeValue>()) return dtype_of(found.value, span, quiet);
  }
  if (!quiet && !value.poisoned())
    report(Diag::dtype_needed, span, describe(value))
        .help("such as \"float16\", T.float16 or A.dtype");
  return std::nullopt;
}

/// tfloat32 is f32 in memory; only matmuls distinguish it.
bool Elaborator::is_tf32(const Value& dtype) {
  if (const DTypeValue* type = dtype.get<DTypeValue>()) return type->tf32();
  if (const auto* text = dtype.get<std::string>()) return *text == "tfloat32";
  if (const HostRef* object = dtype.get<HostRef>()) {
    HostResult found = host_.dtype(*object);
    return found.ok() && found.value.is<DTypeValue>() && found.value.get<DTypeValue>()->tf32();
  }
  return false;
}

std::optional<int64_t> Elaborator::static_int(const Value& value, Span span,
                                              std::string_view what) {
  if (auto i = integer_of(value)) return i;
  if (!value.poisoned())
    report(Diag::static_needed, span, what, describe(value))
        .help("use a Python number, a T.const, or an argument of the function around the kernel");
  return std::nullopt;
}

Value Elaborator::on_tensor(Arguments& args) {
  if (args.row->data == "data" && args.has("data")) return on_make_tensor(args);
  TensorType type;
  auto shape = shape_of(args["shape"].value, args["shape"].span);
  type.pointers = is_pointer(args["dtype"].value);
  auto element = type.pointers ? std::optional(Type{DType::i64})
                               : element_type(args["dtype"].value, args["dtype"].span);
  if (!shape || !element) return {};
  type.shape = std::move(*shape);
  type.tf32 = is_tf32(args["dtype"].value);
  if (args.row->data == "strided") {
    auto strides = shape_of(args["strides"].value, args["strides"].span);
    if (!strides) return {};
    if (strides->size() != type.shape.size()) {
      report(Diag::strides_rank, args["strides"].span,
             plural(static_cast<int64_t>(strides->size()), "stride"),
             plural(static_cast<int64_t>(type.shape.size()), "dimension"))
          .help("give one stride, in elements, for each dimension");
      return {};
    }
    type.strides = std::move(*strides);
  }
  type.set_element(*element);
  if (!check_size("this tensor", type.shape, type.dtype, Scope::global, args["shape"].span))
    return {};
  return type;
}

/// T.dynamic("m, n"): dynamic extents by name.
Value Elaborator::on_dynamic(Arguments& args) {
  const auto* text = args["names"].value.get<std::string>();
  auto dtype = dtype_of(args["dtype"].value, args["dtype"].span);
  if (!text || !dtype) {
    if (!text)
      report(Diag::static_needed, args.span, "the name of an extent", describe(args["names"].value))
          .help("T." + args.row->name + "(\"N\"), or T." + args.row->name + "(\"N, M\") for two");
    return {};
  }
  std::string names = *text;
  std::replace(names.begin(), names.end(), ',', ' ');
  std::vector<Value> out;
  for (const std::string& piece : split(names, ' ')) {
    if (strip(piece).empty()) continue;
    Symbol name = strip(piece);
    if (args.row->data == "const") {
      if (std::find(result_.constants.begin(), result_.constants.end(), name) ==
          result_.constants.end())
        result_.constants.push_back(name);
      if (auto it = request_.constants.find(name); it != request_.constants.end()) {
        out.emplace_back(it->second);
        continue;
      }
      signature_.add_constant(name);
      if (!request_.signature_only) {
        report(Diag::const_missing, args.span, name)
            .help("pass it by name: " + name.str() + "=...");
        return {};
      }
    }
    Symbol id = args.row->data == "const" ? name : extent_name(name.str());
    out.emplace_back(Expr(name_ref(id, {*dtype})));
  }
  if (out.empty()) {
    report(Diag::static_needed, args.span, "the name of an extent", "an empty string")
        .help("T." + args.row->name + "(\"N\")");
    return {};
  }
  return out.size() == 1 ? out[0] : tuple_of(std::move(out));
}

/// Rejects a tensor of two elements per byte whose static rows end within a byte.
void Elaborator::check_whole_byte_rows(const BufferInfo& tensor) {
  if (!in_pairs(tensor)) return;
  std::string what;
  if (tensor.shape.empty()) what = "it has no dimensions";
  if (!tensor.strides.empty() && !is_int(tensor.strides.back(), 1))
    what = "its last stride is " + expr_text(tensor.strides.back());
  for (size_t i = 0; i + 1 < tensor.strides.size(); ++i)
    if (auto known = int_value(tensor.strides[i]); known && *known % 2 != 0)
      what = "a stride is " + std::to_string(*known);
  if (!tensor.shape.empty())
    if (auto known = int_value(tensor.shape.back()); known && *known % 2 != 0)
      what = "its last extent is " + std::to_string(*known);
  if (!what.empty())
    report(Diag::half_byte_shape, tensor.span, tensor.name, what)
        .help("give it contiguous rows with an even number of elements");
}

BufferRef Elaborator::declare(Symbol base, Scope scope, DType dtype, std::vector<Expr> shape,
                              Span span) {
  auto info = std::make_shared<BufferInfo>();
  info->name = ir_.fresh(base, true);
  info->scope = scope;
  info->dtype = dtype;
  info->shape = std::move(shape);
  info->span = span;
  buffers_[info->name] = info;
  return info;
}

BufferRef Elaborator::buffer_named(Symbol name) const {
  auto it = buffers_.find(name);
  return it == buffers_.end() ? nullptr : it->second;
}

Value Elaborator::on_empty(Arguments& args) {
  // T.empty((M, N), dtype), or T.empty(M, N, dtype=...) with separate extents.
  std::vector<Value> items;
  if (const Sequence* list = args["shape"].value.get<Sequence>())
    items = *list->items;
  else
    items.push_back(args["shape"].value);
  Argument type = args["dtype"];
  for (const Argument& more : args.rest) {
    if (integer_of(more.value) || more.value.is<Expr>())
      items.push_back(more.value);
    else
      type = more;
  }
  auto shape = shape_of(tuple_of(std::move(items)), args["shape"].span);
  auto element = element_type(type.value, type.span);
  if (!shape || !element) return {};
  if (in_kernel_) {
    report(Diag::inside_kernel, args.span, "T.empty").help("allocate outputs before T.Kernel");
    return {};
  }
  if (!check_tensor(*shape, *element, args["shape"].span)) return {};
  signature_.use_extents(*shape, ir_);
  BufferRef buffer =
      declare_of(hint_ ? hint_ : "out", Scope::global, *element, std::move(*shape), args.span);
  buffer->output = true;
  buffer->tf32 = is_tf32(type.value);
  check_whole_byte_rows(*buffer);
  signature_.add({buffer->name, buffer, element->dtype, args.span});
  return buffer;
}

Value Elaborator::allocate(Arguments& args, Scope scope) {
  auto shape = static_shape(args["shape"].value, args["shape"].span, scope == Scope::local ? 0 : 1);
  auto element = element_type(args["dtype"].value, args["dtype"].span);
  if (!shape || !element || !need_kernel(args.span, "T." + args.row->name)) return {};
  if (shape->empty() && scope != Scope::local) {
    report(Diag::shape_dynamic, args["shape"].span, "missing: its shape is ()")
        .help("use the shape (1,) for one element");
    return {};
  }
  std::vector<Expr> extents;
  for (int64_t extent : *shape) extents.push_back(int_const(extent));
  BufferRef buffer =
      declare_of(hint_ ? hint_ : "buf", scope, *element, std::move(extents), args.span);
  if (!check_size("this buffer", buffer->shape, buffer->dtype, scope, args["shape"].span))
    return {};
  buffer->tf32 = is_tf32(args["dtype"].value);
  BufferInfo memory = *buffer;  // an empty buffer, which nothing may use, has an element in the IR
  for (Expr& extent : memory.shape)
    if (is_int(extent, 0)) extent = int_const(1);
  emit(buffer_stmt(memory), args.span);
  return buffer;
}

Value Elaborator::on_alloc(Arguments& args) {
  auto scope = parse_enum<Scope>(args.row->data);
  if (scope == Scope::shared && args.has("scope")) {
    const auto* text = args["scope"].value.get<std::string>();
    if (!text || text->rfind("shared", 0) != 0) {
      bool dtype = text && dtype_from_name(*text);
      report(Diag::scope_unknown, args["scope"].span, word_text(args["scope"].value))
          .help(dtype
                    ? "write the shape as one tuple: T." + args.row->name + "((64, 32), \"" +
                          *text + "\")"
                    : "use shared or shared.dyn; for registers T.alloc_fragment or T.alloc_local");
      return {};
    }
  }
  return allocate(args, scope.value_or(Scope::local));
}

Value Elaborator::on_alloc_buffer(Arguments& args) {
  const auto* text = args["scope"].value.get<std::string>();
  std::string scope = text ? *text : "";
  if (!args.has("scope")) scope = in_kernel_ ? "shared" : "global";
  if (scope.rfind("shared", 0) == 0) return allocate(args, Scope::shared);
  if (scope == "local.fragment") return allocate(args, Scope::fragment);
  if (scope == "local") return allocate(args, Scope::local);
  if (scope == "global") return on_alloc_global(args);
  report(Diag::scope_unknown, args["scope"].span, word_text(args["scope"].value))
      .help("shared, shared.dyn, local, local.fragment, global");
  return {};
}

Value Elaborator::on_alloc_var(Arguments& args) {
  const auto element = element_type(args["dtype"].value, args["dtype"].span);
  if (!element || !need_kernel(args.span, "T.alloc_var")) return {};
  if (!element->scalar()) return vector_variable(args, *element);
  const std::optional<DType> dtype = element->dtype;
  Var var;
  Value init = args["init"].value;
  if (args.has("init")) {
    // T.alloc_var("int32", "local.var"): the old form with a scope as the second argument.
    const double* number = init.get<double>();
    bool fits = !number || !is_float(*dtype) || !std::isfinite(*number) ||
                std::isfinite(decode_float(*dtype, encode_float(*dtype, *number)));
    if (!fits) {
      char text[32];
      std::snprintf(text, sizeof text, "%g", *number);
      report(Diag::var_init, args["init"].span, text, tilelang_name(*dtype))
          .help("give the variable a wider type, or start with T.infinity");
      return {};
    }
    if (!init.is<std::string>()) {
      var.init = to_dtype(init, *dtype, args["init"].span);
      if (!var.init) return {};
    }
  }
  var.name = ir_.fresh(hint_ ? hint_ : "var");
  var.dtype = *dtype;
  VarValue value{var.name, *dtype, args.span};
  vars_.insert(var.name);
  if (!var.init) var.init = number(0, *dtype);
  emit(make(std::move(var)), args.span);
  return value;
}

Value Elaborator::on_alloc_global(Arguments& args) {
  auto shape = shape_of(args["shape"].value, args["shape"].span);
  auto element = element_type(args["dtype"].value, args["dtype"].span);
  if (!shape || !element) return {};
  const auto of_kernel = [&](const Expr& extent) {
    return any_of(
        *extent, [&](const Name& name) { return !ir_.is_of_function(name.id); },
        [](const Load&) { return true; });
  };
  if (in_kernel_ && std::any_of(shape->begin(), shape->end(), of_kernel)) {
    report(Diag::inside_kernel, args["shape"].span,
           "T.alloc_global with an extent that is computed")
        .help(
            "the host allocates it before the kernel: give it numbers, T.dynamic extents or "
            "parameters of the function");
    return {};
  }
  if (!check_tensor(*shape, *element, args["shape"].span)) return {};
  signature_.use_extents(*shape, ir_);
  BufferRef buffer = declare_of(hint_ ? hint_ : "workspace", Scope::global, *element,
                                std::move(*shape), args.span);
  buffer->tf32 = is_tf32(args["dtype"].value);
  check_whole_byte_rows(*buffer);
  Workspace workspace;
  workspace.buffer = buffer_stmt(*buffer);
  Stmt allocation = at(args.span, make(std::move(workspace)));
  ir_.block(in_kernel_ ? kernel_block_ - 1 : ir_.depth()).push_back(std::move(allocation));
  return buffer;
}

/// Whether the view and its buffer have whole elements in common, if either packs two per byte.
bool Elaborator::view_of_pairs(const BufferInfo& source, const std::vector<Expr>& shape,
                               DType dtype, Span span) {
  const bool halves = value_bits(source.dtype) == 4 || value_bits(dtype) == 4;
  const bool retyped = halves && source.dtype != dtype;
  const bool of_thread = source.scope != Scope::global && source.scope != Scope::shared;
  if (of_thread && retyped) {
    report(Diag::half_byte_use, span, "a view of another dtype", source.name)
        .label(source.span, "in memory of a thread an element of four bits has a byte")
        .help("use T.cast to convert values; only shared memory and tensors pack two in a byte");
    return false;
  }
  auto odd = [](const std::vector<Expr>& extents) {
    const auto last = extents.empty() ? std::optional<int64_t>(1) : int_value(extents.back());
    return last && *last % 2 != 0;
  };
  const bool cut =
      (in_pairs(source) && odd(source.shape)) || (in_pairs(dtype, source.scope) && odd(shape));
  if (cut)
    report(Diag::half_byte_shape, span, source.name, "a last extent is odd")
        .help("give it rows with an even number of elements");
  return !cut;
}

/// A view with an extent that the kernel computes; nullopt if call arguments determine all extents.
std::optional<Value> Elaborator::computed_view(const BufferRef& source, std::vector<Expr> shape,
                                               DType dtype, const Arguments& args) {
  const bool computed = std::any_of(shape.begin(), shape.end(), [&](const Expr& extent) {
    return !signature_.computes(inline_lets(extent));
  });
  if (!computed) return std::nullopt;
  if (in_kernel_ && source->scope == Scope::global)
    return view_of_rows(source, std::move(shape), dtype, args.span);
  report(Diag::extent_dynamic, args["shape"].span, shape_text(shape))
      .help(in_kernel_ ? "use constant extents: only a view of a tensor can have dynamic ones"
                       : "make the view inside T.Kernel, where the value is read");
  return Value{};
}

/// A view needs memory without gaps, and no more than there is. What is dynamic is checked at each
/// call. False after an error.
bool Elaborator::check_view(const BufferRef& source, const std::vector<Expr>& shape, DType dtype,
                            Span span) {
  const auto count = [](const std::vector<Expr>& extents, size_t first, int64_t each) {
    Expr product = int_const(each, DType::i64);
    for (size_t d = first; d < extents.size(); ++d)
      product = mul(product, cast(DType::i64, extents[d]));
    return product;
  };
  const auto name = "`" + source->name.str() + "`";
  for (size_t d = 0; d < source->strides.size(); ++d) {
    const Expr stride = cast(DType::i64, source->strides[d]),
               dense = count(source->shape, d + 1, 1);
    const auto gap = constant_difference(stride, dense);
    if (is_int(source->shape[d], 1) || gap == 0) continue;
    if (!gap) {
      check_on_host(eq(stride, dense), "a view needs " + name + " without gaps", span);
      continue;
    }
    report(Diag::statement_unsupported, span, "a view of " + name + ", whose strides leave gaps")
        .label(source->span, describe(source))
        .help("access " + name + " itself, or copy it to a tensor without gaps");
    return false;
  }
  const Expr view = count(shape, 0, value_bits(dtype));
  const Expr whole = count(source->shape, 0, value_bits(source->dtype));
  if (source->scope == Scope::global && !constant_difference(view, whole) &&
      signature_.computes(ge(whole, view)))
    check_on_host(ge(whole, view), "a view has more elements than " + name, span);
  return true;
}

/// T.reshape and T.view: the same bits under another shape or type.
Value Elaborator::on_view(Arguments& args) {
  const BufferRef* source = args["src"].value.get<BufferRef>();
  if (!source) {
    report(Diag::buffer_needed, args["src"].span, "T." + args.row->name,
           describe(args["src"].value))
        .help("pass the buffer itself, without brackets");
    return {};
  }
  bool has_shape = args.has("shape");
  auto shape = has_shape ? shape_of(args["shape"].value, args["shape"].span)
                         : std::optional((*source)->visible_shape());
  Type element{(*source)->dtype, (*source)->lanes};
  bool tf32 = (*source)->tf32;
  if (args.row->data == "view" && args.has("dtype")) {
    auto given = element_type(args["dtype"].value, args["dtype"].span);
    if (!given) return {};
    element = *given, tf32 = is_tf32(args["dtype"].value);
  }
  const DType dtype = element.dtype;
  if (shape && !element.scalar()) shape->push_back(int_const(element.lanes));
  if (!shape || !check_size("this view", *shape, dtype, (*source)->scope, args.span)) return {};
  auto bits_of = [](const std::vector<Expr>& extents, DType type) -> std::optional<int64_t> {
    std::vector<int64_t> factors{value_bits(type)};
    for (const Expr& extent : extents) {
      auto known = int_value(extent);
      if (!known) return std::nullopt;
      factors.push_back(*known);
    }
    return checked_product(factors);
  };
  auto before = bits_of((*source)->shape, (*source)->dtype), after = bits_of(*shape, dtype);
  if (before && after && *before != *after) {
    report(Diag::view_size, args.span,
           shape_text((*source)->shape) + " " + tilelang_name((*source)->dtype),
           shape_text(*shape) + " " + tilelang_name(dtype))
        .label((*source)->span, describe(*source))
        .help(view_help(**source, *before, dtype));
    return {};
  }
  if (!check_view(*source, *shape, dtype, args.span)) return {};
  if (auto made = computed_view(*source, *shape, dtype, args)) return *made;
  if (!view_of_pairs(**source, *shape, dtype, args.span)) return {};
  if (!after && (*source)->scope != Scope::global) {
    report(Diag::extent_dynamic, args["shape"].span, shape_text(*shape))
        .help("use constant extents: only a view of a tensor can have dynamic ones");
    return {};
  }
  BufferRef made = declare(hint_ ? hint_ : Symbol((*source)->name.str() + "_view"),
                           (*source)->scope, dtype, *shape, args.span);
  made->tf32 = tf32;
  made->lanes = element.lanes;
  made->viewed = *source;
  if (in_kernel_) {
    emit(view_stmt(*made, **source), args.span);
  } else {
    signature_.use_extents(*shape, ir_);
    host_views_.push_back({made, *source});
  }
  return made;
}

Stmt Elaborator::view_stmt(const BufferInfo& made, const BufferInfo& source) const {
  View view;
  view.name = made.name;
  view.buffer = source.name;
  view.dtype = in_pairs(made) ? byte_type(made.dtype) : made.dtype;
  view.shape = in_pairs(made) ? shape_in_bytes(made.shape) : made.shape;
  return make(std::move(view));
}

}  // namespace tilelab::elaborate
