// SPDX-License-Identifier: Apache-2.0
// Atomic operations on elements and tiles, and the addresses that they take.
#include <algorithm>

#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/ir/regions.h"

namespace tilelab::elaborate {

namespace {

std::optional<std::string> memory_order(const Value& value) {
  constexpr const char* kOrders[] = {"relaxed", "consume", "acquire",
                                     "release", "acq_rel", "seq_cst"};
  if (value.is<None>()) return "relaxed";
  if (auto i = integer_of(value); i && *i >= 0 && *i < 6) return kOrders[*i];
  if (const auto* text = value.get<std::string>())
    for (const char* order : kOrders)
      if (*text == order) return *text;
  return std::nullopt;
}

bool has_option(const Arguments& args, std::string_view name) {
  const std::vector<Parameter>& all = args.row->parameters;
  return std::any_of(all.begin(), all.end(), [&](const Parameter& p) { return p.name == name; });
}

}  // namespace

/// Binds a call with an effect to a let; returns the let's name.
Expr Elaborator::hoist(Expr call, Span span) {
  Symbol id = ir_.fresh("t");
  Type type = call->type;
  emit(let(id, std::move(call)), span);
  return at(span, name_ref(id, type));
}

/// A tile, or the element at an address.
std::optional<Operand> Elaborator::addressed(const Argument& argument) {
  const AddressValue* address = argument.value.get<AddressValue>();
  if (!address) return operand(argument);
  Operand out;
  out.span = argument.span, out.form = Operand::Form::head, out.buffer = address->buffer;
  for (const Expr& index : address->index) out.dims.push_back({index, int_const(1), true});
  return out;
}

/// The number of elements from the address on: `extent`, the product of `extents`, or those of a
/// slice or buffer. False after an error.
bool Elaborator::extent_of_address(Arguments& args, const Operand& base, AddressValue& out) {
  if (args.has("extent")) {
    out.extent = to_index(args["extent"].value, args["extent"].span);
    return static_cast<bool>(out.extent);
  }
  std::vector<Value> extents;
  for (const Argument& given : args.rest) extents.push_back(given.value);
  if (extents.size() == 1)
    if (const Sequence* list = extents[0].get<Sequence>()) extents = *list->items;
  out.extent = int_const(1);
  for (const Value& each : extents) {
    const Expr extent = to_index(each, args.rest[0].span);
    if (!extent) return false;
    out.extent = mul(out.extent, cast(DType::i32, extent));
  }
  if (extents.empty())
    for (const SliceDim& dim : base.dims)
      if (!dim.point) out.extent = mul(out.extent, cast(DType::i32, dim.extent));
  return true;
}

/// T.access_ptr, T.address_of. The user of the address determines whether and how many elements are
/// read or written.
Value Elaborator::on_address(Arguments& args) {
  auto base = operand(args["base"]);
  if (!base || !need_kernel(args.span, "T." + args.row->name)) return {};
  AddressValue out{base->buffer, lows(base->dims), nullptr};
  if (args.row->name == "address_of") return out;
  const Value& access = args["access_type"].value;
  const auto* word = access.get<std::string>();
  const auto bits = integer_of(access);
  const bool known = word ? *word == "r" || *word == "w" || *word == "rw" : bits >= 1 && bits <= 3;
  if (!known) {
    report(Diag::address_access, args["access_type"].span, word_text(access))
        .help("\"r\", \"w\" or \"rw\"");
    return {};
  }
  out.access = word ? *word : *bits == 3 ? "rw" : *bits == 2 ? "w" : "r";
  if (!extent_of_address(args, *base, out)) return {};
  const auto ignored =
      static_int(args["ignore_last_ndim"].value, args["ignore_last_ndim"].span, "ignore_last_ndim");
  if (!ignored) return {};
  for (int64_t i = 0; i < *ignored && i < int64_t(out.index.size()); ++i)
    out.index[out.index.size() - 1 - size_t(i)] = int_const(0);
  const Expr offset = to_dtype(args["offset"].value, DType::i32, args["offset"].span);
  if (!offset) return {};
  if (is_int(offset, 0)) return out;
  if (out.index.size() != 1) {
    report(Diag::address_offset, args["offset"].span, describe(Value(base->buffer)))
        .help("add it to an index: T.access_ptr(A[i, j + n])");
    return {};
  }
  out.index[0] = offset_by(out.index[0], offset);
  return out;
}

/// Combines a tile with a value or a tile.
Value Elaborator::atomic_tile(Arguments& args, AtomicOp op, Operand& dst,
                              const std::string& order) {
  Atomic node;
  node.op = op;
  node.order = order;
  const Value& value = args["value"].value;
  const DType dtype = dst.buffer->dtype;
  if (value.is<BufferRef>() || value.is<RegionValue>()) {
    auto src = operand_of(value, args["value"].span);
    if (!src || !match_extents(*src, dst)) return {};
    node.value = region_of(*src);
  } else {
    node.value = to_dtype(value, dtype, args["value"].span);
  }
  node.dst = region_of(dst);  // match_extents may have given it its extents
  if (!node.dst || !node.value) return {};
  emit(make(std::move(node)), args.span);
  return None{};
}

bool Elaborator::need_atomic(Intrinsic atomic, DType dtype, const Arguments& args) {
  if (has_atomic(atomic, dtype)) return true;
  report(Diag::operator_type, args.span, args.row->name, tilelang_name(dtype))
      .help(is_float(dtype) ? "use integers" : "use T.atomic_or or T.atomic_and, or integers");
  return false;
}

/// The parameters of the function are the operands of the intrinsic, in order; the options follow.
Value Elaborator::on_atomic(Arguments& args) {
  const std::string& data = args.row->data;
  const Intrinsic intrinsic = *intrinsic_from_name("atomic_" + data);
  auto dst = addressed(args["dst"]);
  auto order = memory_order(args["memory_order"].value);
  if (!dst || !need_kernel(args.span, "T." + args.row->name)) return {};
  if (!order) {
    report(Diag::atomic_order, args["memory_order"].span, args.row->name,
           word_text(args["memory_order"].value))
        .help("relaxed, consume, acquire, release, acq_rel, seq_cst");
    return {};
  }
  const DType combined = dst->buffer->dtype;
  if (!need_atomic(intrinsic, combined, args)) return {};
  if (data != "add" && has_option(args, "use_tma") && flag(args, "use_tma")) {
    report(Diag::option_planned, args["use_tma"].span, "use_tma=True")
        .help("remove it: the elements are then added one by one");
    return {};
  }
  const bool result = !has_option(args, "return_prev") || flag(args, "return_prev");
  bool tile_value = false;
  const size_t count = info(intrinsic).operand_count;
  for (size_t i = 1; i < count; ++i)
    tile_value |= args.at(i).value.is<BufferRef>() || args.at(i).value.is<RegionValue>();
  if (dst->form == Operand::Form::head && !tile_value) {
    std::vector<Expr> operands{nullptr};
    for (size_t i = 1; i < count; ++i)
      operands.push_back(to_dtype(args.at(i).value, combined, args.at(i).span));
    operands[0] = region_of(*dst);
    for (const Expr& operand : operands)
      if (!operand) return {};
    Expr made = tilelab::call(intrinsic, {combined}, std::move(operands), {attr("order", *order)});
    if (result) return hoist(std::move(made), args.span);
    Do effect;
    effect.call = std::move(made);
    emit(make(std::move(effect)), args.span);
    return None{};
  }
  const auto op = parse_enum<AtomicOp>(data);
  if (result || !op) {
    report(Diag::atomic_result, args.span, "a tile")
        .help("use an element: T." + args.row->name + "(A[i, j], " +
              (op ? "value, return_prev=True)" : "...)"));
    return {};
  }
  return atomic_tile(args, *op, *dst, *order);
}

/// atomic_addx2, atomic_addx4: that many adjacent elements, each atomically.
Value Elaborator::on_atomic_vector(Arguments& args) {
  auto dst = addressed(args["dst"]), src = addressed(args["value"]);
  if (!dst || !src || !need_kernel(args.span, "T." + args.row->name)) return {};
  if (dst->dims.empty() || src->dims.empty()) return {};
  bool result = flag(args, "return_prev");
  int64_t width = args.row->data == "4" ? 4 : 2;
  for (const char* which : {"dst", "value"}) {
    const Operand& side = *which == 'd' ? *dst : *src;
    Expr tile = side.form == Operand::Form::head ? nullptr : region_of(side);
    if (!tile || elements(to<Region>(tile)) == width) continue;
    report(Diag::atomic_width, args[which].span, args.row->name, width,
           extents_text(all_extents(tile)))
        .help("name the first of them, A[i, j], or a slice of " + std::to_string(width));
    return {};
  }
  const DType dtype = dst->buffer->dtype;
  if (!need_atomic(Intrinsic::atomic_add, dtype, args)) return {};
  BufferRef old;  // the old values, private to each thread
  if (result) {
    old = declare("before", Scope::local, dtype, {int_const(width)}, args.span);
    emit(buffer_stmt(*old), args.span);
  }
  /// The operands of adjacent element `i`.
  auto element = [&](const Expr& i) -> std::vector<Expr> {
    Operand to = *dst;
    to.dims.back().lo = offset_by(to.dims.back().lo, i);
    for (SliceDim& dim : to.dims) dim.extent = int_const(1), dim.point = true;
    std::vector<Expr> index = lows(src->dims);
    index.back() = offset_by(index.back(), i);
    return {region_of(to),
            cast(dtype, load(src->buffer->name, src->buffer->dtype, std::move(index)))};
  };
  const std::vector<Attr> order{attr("order", "relaxed")};
  if (!result) {
    const Symbol lane = ir_.fresh("v");
    Stmt sum = at(args.span, do_call(Intrinsic::atomic_add, element(name_ref(lane)), order));
    emit(for_loop(lane, int_const(0), int_const(width), sum, LoopMode::vec), args.span);
    return None{};
  }
  for (int64_t i = 0; i < width; ++i) {
    Expr before = hoist(tilelab::call(Intrinsic::atomic_add, {dtype}, element(int_const(i)), order),
                        args.span);
    emit(tilelab::store(old->name, {point(int_const(i))}, before), args.span);
  }
  return RegionValue{old, {{int_const(0), int_const(width), false}}};
}

Value Elaborator::on_atomic_access(Arguments& args) {
  bool is_load = args.row->data == "load";
  auto place = addressed(args[is_load ? "src" : "dst"]);
  if (!place || !need_kernel(args.span, "T." + args.row->name)) return {};
  if (place->form != Operand::Form::head) {
    report(Diag::atomic_result, args.span, "a tile").help("name one element, A[i, j]");
    return {};
  }
  Value order_value = args["memory_order"].value;
  auto order = memory_order(order_value);
  bool acquires = order == "acquire" || order == "consume";
  bool wrong = order == "acq_rel" || (is_load ? order == "release" : acquires);
  if (!order || wrong) {
    report(Diag::atomic_order, args["memory_order"].span, args.row->name, word_text(order_value))
        .help(is_load ? "relaxed, consume, acquire, seq_cst" : "relaxed, release, seq_cst");
    return {};
  }
  Expr target = region_of(*place);
  if (!target) return {};
  std::vector<Attr> attrs{attr("order", order_value.is<None>() ? "seq_cst" : *order)};
  if (is_load)
    return hoist(tilelab::call(Intrinsic::atomic_load, {place->buffer->dtype}, {target}, attrs),
                 args.span);
  Expr value = to_dtype(args["value"].value, place->buffer->dtype, args["value"].span);
  if (!value) return {};
  emit(do_call(Intrinsic::atomic_store, {target, value}, attrs), args.span);
  return None{};
}

}  // namespace tilelab::elaborate
