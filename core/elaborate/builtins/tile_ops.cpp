// SPDX-License-Identifier: Apache-2.0
// Builtins that are tile operations: gemm, reductions, scans, print, assert.
#include <algorithm>

#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/objects.h"
#include "core/elaborate/rewrites/half_bytes.h"
#include "core/ir/regions.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

/// The extents of an operand of T.gemm as a matrix; nullopt after an error.
std::optional<std::vector<int64_t>> Elaborator::matrix_of(const Argument& given, const Expr& region,
                                                          const std::string& name) {
  const std::vector<int64_t> shape = all_extents(region);
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
               extents_text(all_extents(nx[0] == 'A' ? gemm.a : gemm.b)) +
                   ((nx[0] == 'A' ? gemm.trans_a : gemm.trans_b) ? ", transposed" : ""))
        .label(args[ny].span, extents_text(all_extents(ny[0] == 'C' ? gemm.c : gemm.b)) +
                                  (ny[0] == 'B' && gemm.trans_b ? ", transposed" : ""))
        .help(help);
    return false;
  };
  return check("K", k, "A", kb, "B") && check("M", m, "A", (*c)[0], "C") &&
         check("N", n, "B", (*c)[1], "C");
}

/// A factor of T.gemm with two elements per byte of shared memory, copied to a buffer whose dtype
/// matrix units multiply: int8, uint8, or float16 for float4_e2m1fn. Other factors as they are.
Expr Elaborator::unpacked_factor(const Expr& factor, Span span) {
  const BufferRef packed = buffer_named(to<Region>(factor).buffer);
  if (!packed || !in_pairs(*packed) || packed->scope == Scope::global) return factor;
  const DType dtype = is_float(packed->dtype) ? DType::f16 : byte_type(packed->dtype);
  std::vector<Expr> shape;
  std::vector<RegionDim> whole;
  for (int64_t extent : all_extents(factor)) {
    shape.push_back(int_const(extent));
    whole.push_back(slice(int_const(0), extent));
  }
  const BufferRef unpacked =
      declare(packed->name.str() + "_unpacked", Scope::shared, dtype, std::move(shape), span);
  emit(buffer_stmt(*unpacked), span);
  Copy copy;
  copy.src = factor, copy.dst = region(unpacked->name, dtype, std::move(whole));
  const Expr made = copy.dst;
  emit(make(std::move(copy)), span);
  return made;
}

Value Elaborator::on_gemm(Arguments& args) {
  Gemm gemm;
  gemm.a = whole_region(args["A"], "T.gemm");
  gemm.b = whole_region(args["B"], "T.gemm");
  gemm.c = whole_region(args["C"], "T.gemm");
  if (!gemm.a || !gemm.b || !gemm.c || !need_kernel(args.span, "T.gemm")) return {};
  gemm.trans_a = flag(args, "transpose_A");
  gemm.trans_b = flag(args, "transpose_B");
  if (!gemm_fits(args, gemm)) return {};
  const char* of_a = tilelang_name(to<Region>(gemm.a).type.dtype);
  const char* of_b = tilelang_name(to<Region>(gemm.b).type.dtype);
  gemm.a = unpacked_factor(gemm.a, args["A"].span);
  gemm.b = unpacked_factor(gemm.b, args["B"].span);
  DType da = to<Region>(gemm.a).type.dtype, db = to<Region>(gemm.b).type.dtype;
  if (da != db && !(bits(da) == 8 && bits(db) == 8)) {
    report(Diag::gemm_dtype, args.span, of_a, of_b)
        .label(args["A"].span, of_a)
        .label(args["B"].span, of_b)
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
  node.nan_propagate =
      has_option && picks && args.has("nan_propagate") && flag(args, "nan_propagate");
  node.op = op;
  node.clear = clear;
  node.src = with_slices(whole_region(args["src"], "T." + args.row->name));
  if (!node.src || !need_kernel(args.span, "T." + args.row->name)) return {};
  std::vector<int64_t> from = all_extents(node.src);
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
  node.dst = whole_region(args["out"], "T." + args.row->name);
  if (!node.dst) return {};
  node.nan_propagate &= is_float(node.dst->type.dtype);
  std::vector<int64_t> to_shape = all_extents(node.dst);
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
  bool clear = flag(args, "clear");
  if (kind.empty()) {  // T.reduce(src, out, "sum", ...)
    const auto* text = args["reduce_type"].value.get<std::string>();
    kind = text ? *text : "";
  }
  auto op = parse_enum<ReduceOp>(kind);
  if (!op) {
    report(Diag::reduce_kind, args.span, word_text(args["reduce_type"].value))
        .help("sum, max, min, abssum, absmax, bitand, bitor, bitxor");
    return {};
  }
  const VarValue* var = args["out"].value.get<VarValue>();
  if (!var || !need_kernel(args.span, "T." + args.row->name)) return reduce(args, *op, clear);
  // A variable: through memory of one element in each thread.
  const VarValue into = *var;
  const BufferRef one = declare(into.name, Scope::local, into.dtype, {int_const(1)}, args.span);
  const std::vector<Expr> place{int_const(0)};
  emit(buffer_stmt(*one), args.span);
  if (!clear)
    emit(tilelab::store(one->name, points(place), name_ref(into.name, {into.dtype})), args.span);
  args.bound[args.index("out")].value = one;
  if (!reduce(args, *op, clear).poisoned())
    assign_var(into, Expr(load(one->name, one->dtype, place)), args.span);
  return None{};
}

Value Elaborator::on_scan(Arguments& args) {
  Scan node;
  node.op = args.row->data == "max" ? ScanOp::max : ScanOp::sum;
  node.src = with_slices(whole_region(args["src"], "T." + args.row->name));
  node.dst = args.has("dst") ? whole_region(args["dst"], "T." + args.row->name) : node.src;
  if (!node.src || !node.dst || !need_kernel(args.span, "T." + args.row->name)) return {};
  int64_t rank = static_cast<int64_t>(all_extents(node.src).size());
  auto dim = static_int(args["dim"].value, args["dim"].span, "the dimension to scan");
  if (!dim) return {};
  if (*dim < -rank || *dim >= rank) {
    report(Diag::reduce_dim, args["dim"].span, *dim, plural(rank, "dimension"))
        .help("count dim from 0: the last one is " + std::to_string(rank - 1) + " or -1");
    return {};
  }
  node.dim = *dim < 0 ? *dim + rank : *dim;
  if (all_extents(node.src) != all_extents(node.dst)) {
    report(Diag::copy_shape, args["src"].span, extents_text(all_extents(node.src)),
           extents_text(all_extents(node.dst)));
    return {};
  }
  node.reverse = flag(args, "reverse");
  emit(make(std::move(node)), args.span);
  return None{};
}

/// A fragment is sorted in a shared buffer.
Value Elaborator::on_sort(Arguments& args) {
  auto tile = operand(args["buffer"]);
  Expr region = whole_region(args["buffer"], "T.sort");
  if (!tile || !region || !need_kernel(args.span, "T.sort")) return {};
  const BufferInfo& buffer = *tile->buffer;
  if (buffer.scope != Scope::shared && buffer.scope != Scope::fragment) {
    const bool global = buffer.scope == Scope::global;
    report(Diag::sort_memory, args["buffer"].span, buffer.name,
           global ? "a tensor" : "memory of one thread")
        .help(global ? "copy the tile to shared memory, T.alloc_shared, and back"
                     : "use shared memory, T.alloc_shared");
    return {};
  }
  Sort sort;
  sort.descending = flag(args, "descending");
  if (buffer.scope == Scope::shared) {
    sort.tile = region;
    emit(make(std::move(sort)), args.span);
    return None{};
  }
  std::vector<Expr> shape;
  std::vector<RegionDim> whole;
  for (const int64_t extent : all_extents(region)) {
    shape.push_back(int_const(extent));
    whole.push_back({int_const(0), extent, false});
  }
  const BufferRef staged = declare("sorted", Scope::shared, buffer.dtype, shape, args.span);
  emit(buffer_stmt(*staged), args.span);
  sort.tile = tilelab::region(staged->name, buffer.dtype, std::move(whole));
  Copy out, in;
  in.src = region, in.dst = sort.tile, out.src = sort.tile, out.dst = region;
  emit(make(std::move(in)), args.span);
  emit(make(std::move(sort)), args.span);
  emit(make(std::move(out)), args.span);
  return None{};
}

// ---- events

/// Takes `msg`; a value that is not a text is reported and ignored.
void Elaborator::take_message(Arguments& args, Record& record) {
  const Argument& message = args["msg"];
  if (Objects::read_message(message.value, record)) return;
  report(usage::option_ignored, message.span, "`msg` of " + args.row->shown())
      .note("it is not a string; there are no formats")
      .help("write `" + args.row->shown() +
            (args.row->name == "print" ? "(x, msg=\"x\")`, once for each value"
                                       : "(condition, msg=\"why\")`"));
}

Value Elaborator::on_print(Arguments& args) {
  if (!need_kernel(args.span, "T.print")) return {};
  Record record;
  take_message(args, record);
  const Argument& object = args["obj"];
  if (object.value.is<BufferRef>() || object.value.is<RegionValue>()) {
    auto found = operand(object, true);
    Expr value = found ? region_of(*found) : nullptr;
    if (!value) return {};
    record.buffer = found->buffer->name.str();
    record.values.insert(record.values.begin(), value);
  } else if (!Objects::read_message(object.value, record)) {  // otherwise only the message
    Expr value = to_expr(object.value, object.span);
    if (!value) return {};
    record.values.insert(record.values.begin(), value);
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
  record.values = assertion_values(cond);
  take_message(args, record);
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
