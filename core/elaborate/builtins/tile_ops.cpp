// SPDX-License-Identifier: Apache-2.0
// Builtins that are tile operations: gemm, reductions, scans, atomics, print, assert.
#include <algorithm>

#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/rewrites/packed_fp4.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

namespace {

std::vector<int64_t> box(const Expr& region) {
  std::vector<int64_t> out;
  for (const RegionDim& dim : to<Region>(region).dims) out.push_back(dim.extent);
  return out;
}

}  // namespace

/// The extents of an operand of T.gemm as a matrix; nullopt after an error.
std::optional<std::vector<int64_t>> Elaborator::matrix_of(const Argument& given, const Expr& region,
                                                          const std::string& name) {
  const std::vector<int64_t> shape = box(region);
  const bool flat = shape.size() >= 2 &&
                    std::all_of(shape.begin(), shape.end() - 2, [](int64_t e) { return e == 1; });
  if (flat) return std::vector<int64_t>(shape.end() - 2, shape.end());
  report(Diag::gemm_rank, given.span, name, extents_text(shape))
      .help(shape.size() < 2
                ? "T.gemm multiplies matrices; a vector is a matrix with a row or a column of 1"
                : "give all dimensions except the last two extent 1: `" + name +
                      "[k, :, :]` takes one matrix");
  return std::nullopt;
}

/// Whether the shapes of A, B and C match; reports a mismatch and a transposition that would help.
bool Elaborator::gemm_fits(Arguments& args, const Gemm& gemm) {
  auto a = matrix_of(args["A"], gemm.a, "A"), b = matrix_of(args["B"], gemm.b, "B"),
       c = matrix_of(args["C"], gemm.c, "C");
  if (!a || !b || !c) return false;
  const int64_t m = (*a)[gemm.trans_a ? 1 : 0], k = (*a)[gemm.trans_a ? 0 : 1];
  const int64_t kb = (*b)[gemm.trans_b ? 1 : 0], n = (*b)[gemm.trans_b ? 0 : 1];
  auto check = [&](const char* which, int64_t x, const char* nx, int64_t y, const char* ny) {
    if (x == y) return true;
    const bool flip_b = k == n && (*c)[1] == kb, flip_a = kb == m && (*c)[0] == k;
    std::string help = "C is M x N, A is M x K and B is K x N";
    if (flip_b && m == (*c)[0])
      help = gemm.trans_b ? "B is K x N: remove transpose_B"
                          : "B is stored as N x K: pass transpose_B=True";
    else if (flip_a && n == (*c)[1])
      help = gemm.trans_a ? "A is M x K: remove transpose_A"
                          : "A is stored as K x M: pass transpose_A=True";
    report(Diag::gemm_shape, args.span, which, std::string(nx) + " has " + std::to_string(x),
           std::string(ny) + " has " + std::to_string(y))
        .label(args[nx].span,
               extents_text(box(nx[0] == 'A' ? gemm.a : gemm.b)) +
                   ((nx[0] == 'A' ? gemm.trans_a : gemm.trans_b) ? ", transposed" : ""))
        .label(args[ny].span, extents_text(box(ny[0] == 'C' ? gemm.c : gemm.b)) +
                                  (ny[0] == 'B' && gemm.trans_b ? ", transposed" : ""))
        .help(help);
    return false;
  };
  return check("K", k, "A", kb, "B") && check("M", m, "A", (*c)[0], "C") &&
         check("N", n, "B", (*c)[1], "C");
}

Value Elaborator::on_gemm(Arguments& args) {
  Gemm gemm;
  gemm.a = whole_region(args["A"], "T.gemm");
  gemm.b = whole_region(args["B"], "T.gemm");
  gemm.c = whole_region(args["C"], "T.gemm");
  if (!gemm.a || !gemm.b || !gemm.c || !need_kernel(args.span, "T.gemm")) return {};
  gemm.trans_a = static_truth(args["transpose_A"].value, args.span).value_or(false);
  gemm.trans_b = static_truth(args["transpose_B"].value, args.span).value_or(false);
  if (!gemm_fits(args, gemm)) return {};
  for (const char* factor : {"A", "B", "C"}) {
    const Region& region = to<Region>(*factor == 'A' ? gemm.a : *factor == 'B' ? gemm.b : gemm.c);
    const BufferRef buffer = buffer_named(region.buffer);
    if (!buffer || !in_pairs(*buffer)) continue;
    report(Diag::half_byte_use, args[factor].span, "T.gemm", region.buffer)
        .label(buffer->span, "float4_e2m1fn: two elements share a byte")
        .help(
            "use T.copy to a fragment or shared buffer of float16, which dequantizes it: no target "
            "multiplies float4");
    return {};
  }
  DType da = to<Region>(gemm.a).type.dtype, db = to<Region>(gemm.b).type.dtype;
  if (da != db && !(bits(da) == 8 && bits(db) == 8)) {
    report(Diag::gemm_dtype, args.span, tilelang_name(da), tilelang_name(db))
        .label(args["A"].span, tilelang_name(da))
        .label(args["B"].span, tilelang_name(db))
        .help("give A and B one dtype: T.copy to a buffer of the other dtype converts");
    return {};
  }
  auto is_tf32_buffer = [&](const Expr& e) {
    const BufferRef buffer = buffer_named(to<Region>(e).buffer);
    return buffer && buffer->tf32;
  };
  const bool narrow = bits(to<Region>(gemm.c).type.dtype) <= 32;  // no unit accumulates tf32 in f64
  gemm.tf32 = da == DType::f32 && narrow && (is_tf32_buffer(gemm.a) || is_tf32_buffer(gemm.b));
  gemm.clear = to_bool(args["clear_accum"].value, args["clear_accum"].span);
  if (!gemm.clear) return {};
  gemm.wait = pending_matmuls(args);
  int64_t policy = integer_of(args["policy"].value).value_or(0);
  gemm.policy = policy == 1   ? WarpPolicy::full_row
                : policy == 2 ? WarpPolicy::full_col
                              : WarpPolicy::square;
  emit(make(std::move(gemm)), args.span);
  return None{};
}

/// The region with its indices as slices of one element: `dim` of T.reduce_* and T.cumsum counts
/// these dimensions too.
static Expr with_slices(const Expr& e) {
  if (!e) return e;
  Region region(to<Region>(e));
  for (RegionDim& dim : region.dims) dim.point = false;
  return make(std::move(region));
}

Value Elaborator::reduce(Arguments& args, ReduceOp op, bool clear) {
  Reduce node;
  bool has_option = args.row->parameters.back().name == "nan_propagate";
  bool picks = op == ReduceOp::max || op == ReduceOp::min || op == ReduceOp::absmax;
  node.nan_propagate = has_option && picks && args.has("nan_propagate") &&
                       static_truth(args["nan_propagate"].value, args.span).value_or(false);
  node.op = op;
  node.clear = clear;
  node.src = with_slices(whole_region(args["src"], "T." + args.row->name));
  if (!node.src || !need_kernel(args.span, "T." + args.row->name)) return {};
  std::vector<int64_t> from = box(node.src);
  int64_t rank = static_cast<int64_t>(from.size());
  auto dim = static_int(args["dim"].value, args["dim"].span, "the dimension to reduce");
  if (!dim) return {};
  if (*dim < -rank || *dim >= rank) {
    report(Diag::reduce_dim, args["dim"].span, *dim, plural(rank, "dimension"))
        .label(args["src"].span, extents_text(from))
        .help("count dim from 0: the last one is " + std::to_string(rank - 1) + " or -1");
    return {};
  }
  if (*dim < 0) dim = *dim + rank;
  node.dims = {*dim};
  std::vector<int64_t> gone = from, ones = from;
  gone.erase(gone.begin() + *dim);
  ones[static_cast<size_t>(*dim)] = 1;
  if (const VarValue* var = args["out"].value.get<VarValue>()) {
    report(Diag::region_needed, args["out"].span, "the variable `" + var->name.str() + "`")
        .help("reduce into a fragment of one element, T.alloc_fragment((1,), dtype)");
    return {};
  }
  node.dst = whole_region(args["out"], "T." + args.row->name);
  if (!node.dst) return {};
  node.nan_propagate &= is_float(node.dst->type.dtype);
  std::vector<int64_t> to_shape = box(node.dst);
  bool scalar = gone.empty() && to_shape == std::vector<int64_t>{1};
  if (to_shape != gone && to_shape != ones && !scalar) {
    Diagnostic& message = report(Diag::reduce_shape, args["out"].span, extents_text(from), *dim,
                                 extents_text(gone), extents_text(to_shape));
    message.label(args["src"].span, extents_text(from));
    std::string help =
        "allocate the destination as " + (gone.empty() ? std::string("(1,)") : tuple_text(gone));
    for (int64_t other = 0; other < rank; ++other) {
      std::vector<int64_t> rest = from;
      rest.erase(rest.begin() + other);
      if (rest == to_shape) help += ", or reduce along dim=" + std::to_string(other);
    }
    message.help(help);
    return {};
  }
  emit(make(std::move(node)), args.span);
  return None{};
}

Value Elaborator::on_reduce(Arguments& args) {
  std::string kind = args.row->data;
  bool clear = static_truth(args["clear"].value, args["clear"].span).value_or(true);
  if (kind.empty()) {  // T.reduce(src, out, "sum", ...)
    const auto* text = args["reduce_type"].value.get<std::string>();
    kind = text ? *text : "";
  }
  auto op = parse_enum<ReduceOp>(kind);
  if (!op) {
    report(Diag::reduce_kind, args.span, kind)
        .help("sum, max, min, abssum, absmax, bitand, bitor, bitxor");
    return {};
  }
  return reduce(args, *op, clear);
}

Value Elaborator::on_scan(Arguments& args) {
  Scan node;
  node.op = args.row->data == "max" ? ScanOp::max : ScanOp::sum;
  node.src = with_slices(whole_region(args["src"], "T." + args.row->name));
  node.dst = args.has("dst") ? whole_region(args["dst"], "T." + args.row->name) : node.src;
  if (!node.src || !node.dst || !need_kernel(args.span, "T." + args.row->name)) return {};
  int64_t rank = static_cast<int64_t>(box(node.src).size());
  auto dim = static_int(args["dim"].value, args["dim"].span, "the dimension to scan");
  if (!dim) return {};
  if (*dim < -rank || *dim >= rank) {
    report(Diag::reduce_dim, args["dim"].span, *dim, plural(rank, "dimension"))
        .help("count dim from 0: the last one is " + std::to_string(rank - 1) + " or -1");
    return {};
  }
  node.dim = *dim < 0 ? *dim + rank : *dim;
  if (box(node.src) != box(node.dst)) {
    report(Diag::copy_shape, args["src"].span, extents_text(box(node.src)),
           extents_text(box(node.dst)));
    return {};
  }
  node.reverse = static_truth(args["reverse"].value, args["reverse"].span).value_or(false);
  emit(make(std::move(node)), args.span);
  return None{};
}

// ---- atomics

namespace {

std::string order_text(const Value& value) {
  const auto* text = value.get<std::string>();
  return text ? "\"" + *text + "\"" : describe(value);
}

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

/// T.access_ptr, T.address_of. The user of the address determines whether and how many elements are
/// read or written.
Value Elaborator::on_address(Arguments& args) {
  auto base = operand(args["base"]);
  if (!base || !need_kernel(args.span, "T." + args.row->name)) return {};
  AddressValue out{base->buffer, {}, nullptr};
  for (const SliceDim& dim : base->dims) out.index.push_back(dim.lo);
  if (args.row->name == "address_of") return out;
  const Value& access = args["access_type"].value;
  const auto* word = access.get<std::string>();
  const auto bits = integer_of(access);
  const bool known = word ? *word == "r" || *word == "w" || *word == "rw" : bits >= 1 && bits <= 3;
  if (!known) {
    report(Diag::address_access, args["access_type"].span, order_text(access))
        .help("\"r\", \"w\" or \"rw\"");
    return {};
  }
  if (!args.rest.empty() && reported_options_.insert("access_ptr.extents").second)
    report(usage::option_no_effect, args.rest[0].span, "`extents` of T.access_ptr")
        .note(find_option("access_ptr", "extent")->note());
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

Value Elaborator::on_atomic(Arguments& args) {
  auto intrinsic = intrinsic_from_name("atomic_" + args.row->data);
  auto dst = addressed(args["dst"]);
  auto order = memory_order(args["memory_order"].value);
  if (!dst || !need_kernel(args.span, "T." + args.row->name)) return {};
  if (!order) {
    report(Diag::atomic_order, args["memory_order"].span, args.row->name,
           order_text(args["memory_order"].value))
        .help("relaxed, consume, acquire, release, acq_rel, seq_cst");
    return {};
  }
  if (args.row->data != "add" && static_truth(args["use_tma"].value, args.span).value_or(false)) {
    report(Diag::option_planned, args["use_tma"].span, "use_tma=True")
        .help("remove it: the elements are then added one by one");
    return {};
  }
  bool result = static_truth(args["return_prev"].value, args.span).value_or(false);
  const Value& value = args["value"].value;
  bool tile_value = value.is<BufferRef>() || value.is<RegionValue>();
  if (dst->form == Operand::Form::head && !tile_value) {
    Expr operand = to_dtype(value, dst->buffer->dtype, args["value"].span);
    Expr target = operand ? region_of(*dst) : nullptr;
    if (!target) return {};
    Expr made =
        tilelab::call(*intrinsic, {dst->buffer->dtype}, {target, operand}, {attr("order", *order)});
    if (result) return hoist(std::move(made), args.span);
    Do effect;
    effect.call = std::move(made);
    emit(make(std::move(effect)), args.span);
    return None{};
  }
  if (result) {
    report(Diag::atomic_result, args.span, "a tile")
        .help("use an element: T." + args.row->name + "(A[i, j], value, return_prev=True)");
    return {};
  }
  Atomic node;
  node.op = *parse_enum<AtomicOp>(args.row->data);
  node.order = *order;
  if (tile_value) {
    auto src = operand_of(value, args["value"].span);
    if (!src || !match_extents(*src, *dst)) return {};
    node.value = region_of(*src);
  } else {
    node.value = to_dtype(value, dst->buffer->dtype, args["value"].span);
  }
  node.dst = region_of(*dst);
  if (!node.dst || !node.value) return {};
  emit(make(std::move(node)), args.span);
  return None{};
}

/// atomic_addx2, atomic_addx4: that many adjacent elements, each atomically.
Value Elaborator::on_atomic_vector(Arguments& args) {
  auto dst = addressed(args["dst"]), src = addressed(args["value"]);
  if (!dst || !src || !need_kernel(args.span, "T." + args.row->name)) return {};
  if (dst->dims.empty() || src->dims.empty()) return {};
  bool result = static_truth(args["return_prev"].value, args.span).value_or(false);
  int64_t width = args.row->data == "4" ? 4 : 2;
  for (const char* which : {"dst", "value"}) {
    const Operand& side = *which == 'd' ? *dst : *src;
    Expr tile = side.form == Operand::Form::head ? nullptr : region_of(side);
    if (!tile || elements(to<Region>(tile)) == width) continue;
    report(Diag::atomic_width, args[which].span, args.row->name, width, extents_text(box(tile)))
        .help("name the first of them, A[i, j], or a slice of " + std::to_string(width));
    return {};
  }
  DType dtype = dst->buffer->dtype;
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
    std::vector<Expr> index;
    for (const SliceDim& dim : src->dims) index.push_back(dim.lo);
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
    report(Diag::atomic_order, args["memory_order"].span, args.row->name, order_text(order_value))
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

// ---- events

Value Elaborator::on_print(Arguments& args) {
  if (!need_kernel(args.span, "T.print")) return {};
  Record record;
  if (const auto* text = args["msg"].value.get<std::string>()) record.message = *text;
  const Argument& object = args["obj"];
  if (object.value.is<None>()) {  // only the message
    emit(make(std::move(record)), args.span);
    return None{};
  }
  if (const auto* text = object.value.get<std::string>()) {
    record.message = *text;
  } else if (object.value.is<BufferRef>() || object.value.is<RegionValue>()) {
    auto found = operand(object);
    Expr value = found ? region_of(*found) : nullptr;
    if (!value) return {};
    record.buffer = found->buffer->name.str();
    record.values = {value};
  } else {
    Expr value = to_expr(object.value, object.span);
    if (!value) return {};
    record.values = {value};
  }
  emit(make(std::move(record)), args.span);
  return None{};
}

Value Elaborator::on_device_assert(Arguments& args) {
  if (!need_kernel(args.span, "T.device_assert")) return {};
  Record record;
  record.what = RecordKind::device_assert;
  Expr cond = to_bool(args["condition"].value, args["condition"].span);
  if (!cond) return {};
  if (const auto* text = args["msg"].value.get<std::string>()) record.message = *text;
  record.values = assertion_values(cond);
  emit(make(std::move(record)), args.span);
  return None{};
}

/// The condition, then the run-time operands of its first comparison. Only the first, because
/// operands after `and` may be invalid to read.
std::vector<Expr> assertion_values(const Expr& cond) {
  std::vector<Expr> values{cond};
  const Bin* compared = as<Bin>(cond);
  while (compared && is_logical(compared->op)) compared = as<Bin>(compared->a);
  if (compared && is_compare(compared->op))
    for (const Expr& side : {compared->a, compared->b})
      if (!as<Const>(side) && side->type.scalar()) values.push_back(side);
  return values;
}

}  // namespace tilelab::elaborate
