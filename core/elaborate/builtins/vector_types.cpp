// SPDX-License-Identifier: Apache-2.0
// Buffers and variables whose elements are vectors, such as bfloat16x2: a dimension that programs
// do not see.
#include "core/elaborate/elaborator.h"
#include "core/elaborate/rewrites/half_bytes.h"
#include "core/ir/regions.h"

namespace tilelab::elaborate {

/// Reports a dtype that the IR lacks, or a vector where only a scalar is accepted.
void Elaborator::report_dtype(const std::string& name, Span span) {
  if (const auto vector = type_from_name(name))
    report(Diag::vector_dtype, span, name)
        .help("use the dtype of its elements: " + std::string(tilelang_name(vector->dtype)));
  else
    report(Diag::dtype_unsupported, span, name)
        .help("use a dtype of 8 bits or more, float4_e2m1fn, int4 or uint4");
}

/// The type of an element of a buffer: a dtype or a vector.
std::optional<Type> Elaborator::element_type(const Value& value, Span span) {
  std::string name;
  if (const DTypeValue* dtype = value.get<DTypeValue>()) name = dtype->name;
  if (const auto* text = value.get<std::string>()) name = *text;
  if (const HostRef* object = value.get<HostRef>())
    if (HostResult found = host_.dtype(*object); found.ok())
      if (const DTypeValue* dtype = found.value.get<DTypeValue>()) name = dtype->name;
  const auto found = type_from_name(name);
  if (found && !found->scalar()) return found;
  const auto dtype = dtype_of(value, span);
  return dtype ? std::optional(Type{*dtype}) : std::nullopt;
}

/// A buffer whose elements may be vectors.
BufferRef Elaborator::declare_of(Symbol base, Scope scope, Type element, std::vector<Expr> shape,
                                 Span span) {
  if (!element.scalar()) shape.push_back(int_const(element.lanes));
  BufferRef made = declare(base, scope, element.dtype, std::move(shape), span);
  made->lanes = element.lanes;
  return made;
}

bool Elaborator::check_tensor(std::vector<Expr> shape, Type element, Span span) {
  if (!element.scalar()) shape.push_back(int_const(element.lanes));
  return check_size("this tensor", shape, element.dtype, Scope::global, span);
}

/// A variable that is a vector: memory of each thread.
Value Elaborator::vector_variable(Arguments& args, Type element) {
  BufferRef buffer = declare_of(hint_ ? hint_ : "var", Scope::local, element, {}, args.span);
  buffer->variable = true;
  emit(buffer_stmt(*buffer), args.span);
  const bool given = args.has("init") && !args["init"].value.is<std::string>();
  store_element(buffer, {{int_const(0), buffer->shape[0], false}},
                given ? args["init"].value : Value(0), args.span);
  return buffer;
}

/// The box of an access of so many bits: a slice, or an element and those after it.
std::optional<Operand> Elaborator::box_of_bits(const Argument& argument, int bits, Scope scope,
                                               const std::string& called) {
  auto box = operand(argument, true);
  if (!box || !need_kernel(argument.span, called)) return std::nullopt;
  if (box->buffer->scope != scope) {
    report(Diag::statement_unsupported, argument.span, called + " of " + describe(box->buffer))
        .help(scope == Scope::global ? "use T.lds and T.sts for shared memory"
                                     : "use T.ldg and T.stg for tensors");
    return std::nullopt;
  }
  const int width = value_bits(box->buffer->dtype), lanes = box->buffer->lanes;
  if (box->form == Operand::Form::head && !box->dims.empty() && bits > width * lanes)
    box->dims[box->buffer->rank() - 1].extent = int_const(bits / width / lanes),
                                    box->dims[box->buffer->rank() - 1].point = false;
  const auto extents = extents_of(*box);
  if (!extents) return std::nullopt;
  int64_t all = width;
  for (int64_t extent : *extents) all *= extent;
  if (all == bits) return box;
  report(Diag::view_size, argument.span, std::to_string(all) + " bits",
         std::to_string(bits) + " bits of " + called)
      .label(box->buffer->span, describe(box->buffer))
      .help("pass the first element, or a slice of so many bits");
  return std::nullopt;
}

/// The elements of a box as a value, zeros if `wanted` is false: read by one access into memory of
/// the thread, except in T.Parallel.
Expr Elaborator::loaded_at_once(const Operand& box, const Expr& wanted, Span span) {
  const Expr all = region_of(box);
  if (!all) return nullptr;
  const Type type = all->type;
  const Expr zero = broadcast(number(0, type.dtype), type.lanes);
  if (type.scalar()) {
    const Expr one = load(box.buffer->name, type.dtype, lows(box.dims));
    return wanted ? select(wanted, one, zero) : one;
  }
  if (parallel_ > 0) return wanted ? select(broadcast(wanted, type.lanes), all, zero) : all;
  const BufferRef own = declare("words", Scope::local, type.dtype, {int_const(type.lanes)}, span);
  const std::vector<SliceDim> whole{{int_const(0), int_const(type.lanes), false}};
  emit(buffer_stmt(*own), span);
  if (wanted) {
    store_element(own, whole, zero, span);
    ir_.open_block();
  }
  store_element(own, whole, all, span, LoopMode::vec);
  if (wanted) {
    Stmt body = ir_.close_block();
    emit(if_then(wanted, std::move(body)), span);
  }
  return to_expr(RegionValue{own, whole}, span);
}

/// T.ldg64(src, pred): so many bits as uint32; zeros if `pred` is false. T.stg64(dst, value, pred).
Value Elaborator::on_access_bits(Arguments& args) {
  const std::string called = "T." + args.row->name;
  const bool loads = args.row->data[0] == 'l';
  const Scope scope = args.row->data[1] == 'g' ? Scope::global : Scope::shared;
  const int bits = std::stoi(args.row->name.substr(3));
  const auto box = box_of_bits(args.at(0), bits, scope, called);
  if (!box) return {};
  const Argument* pred = scope == Scope::global ? &args["pred"] : nullptr;
  const bool always = !pred || pred->value.is<None>();
  const Expr wanted = always ? nullptr : to_bool(pred->value, pred->span);
  if (!always && !wanted) return {};
  const Type words{DType::u32, bits / 32};
  if (loads) {
    const Expr value = reinterpreted(loaded_at_once(*box, wanted, args.span), words);
    return value ? Value(value) : Value{};
  }
  const Expr given = to_expr(args["value"].value, args["value"].span);
  if (!given) return {};
  const DType dtype = box->buffer->dtype;
  if (value_bits(given->type.dtype) * given->type.lanes != bits) {
    report(Diag::view_size, args["value"].span, type_text(given->type),
           std::to_string(bits) + " bits of " + called)
        .help("pass a value of so many bits, such as that of T.ldg" + std::to_string(bits));
    return {};
  }
  const Expr value = reinterpreted(given, {dtype, bits / value_bits(dtype)});
  if (!value) return {};
  if (wanted) ir_.open_block();
  if (value->type.scalar()) {
    std::vector<SliceDim> place = box->dims;
    for (SliceDim& dim : place) dim.point = true;
    store_element(box->buffer, place, value, args.span);
  } else {
    store_element(box->buffer, box->dims, value, args.span,
                  parallel_ > 0 ? LoopMode::unroll : LoopMode::vec);
  }
  if (wanted) {
    Stmt body = ir_.close_block();
    emit(if_then(wanted, std::move(body)), args.span);
  }
  return None{};
}

/// T.Broadcast(value, lanes): a vector; one lane is the value itself.
Value Elaborator::on_broadcast(Arguments& args) {
  const auto lanes =
      static_count(args["lanes"].value, args["lanes"].span, "the number of lanes", 1, kMaxCount);
  const Expr value = lanes ? to_expr(args["value"].value, args["value"].span) : nullptr;
  if (!value) return {};
  if (value->type.scalar()) return *lanes == 1 ? value : broadcast(value, int(*lanes));
  report(Diag::vector_lanes, args["value"].span, value->type.lanes, 1)
      .help("broadcast one element, such as v[0]");
  return {};
}

}  // namespace tilelab::elaborate
