// SPDX-License-Identifier: Apache-2.0
// Explicit matrix instructions of one warp, on local buffers of its lanes: T.ptx_ldmatrix,
// T.ptx_mma.
#include <algorithm>
#include <utility>

#include "core/elaborate/builtins/addresses.h"
#include "core/elaborate/elaborator.h"
#include "core/ir/intrinsics/expanded_matrices.h"
#include "core/layout/matrix.h"

namespace tilelab::elaborate {

namespace {

constexpr int64_t kRowBytes = 16;  // of a matrix of ldmatrix

/// The rows of the table that multiply matrices of one warp of 32 lanes, as PTX defines them.
const MatrixInstruction* find_mma(const MatrixShape& shape, DType a, DType b) {
  const auto rows = matrix_instructions();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const MatrixInstruction& each) {
    return expands_to_shuffles(each) && each.has_shape(shape, bits(a)) && each.supports(name(a)) &&
           each.supports(name(b)) && bits(a) == bits(b);
  });
  return row == rows.end() ? nullptr : &*row;
}

/// "m8n8k4, m16n8k8, ...": the shapes for operands of that dtype.
std::string shapes_for(DType dtype) {
  for (const MatrixInstruction& row : matrix_instructions())
    if (expands_to_shuffles(row) && row.supports(name(dtype)))
      return to_text({row.shapes_mn[0][0], row.shapes_mn[0][1], row.k_bits / bits(dtype)});
  return "";
}

}  // namespace

/// Registers of a local buffer: adjacent elements.
Expr Elaborator::registers_at(const Argument& given, const AddressValue* address, int64_t count,
                              const std::string& called) {
  const bool local = address && address->buffer->scope == Scope::local;
  if (local && in_one_row(*address, count)) return elements_at(*address, count);
  report(Diag::buffer_needed, given.span, called,
         address ? describe(Value(address->buffer)) : describe(given.value))
      .help(
          "pass adjacent elements of a buffer of T.alloc_local, in which each thread has its own "
          "registers");
  return nullptr;
}

/// T.ptx_ldmatrix(trans, num, row, registers): each lane names a row of 16 bytes.
Value Elaborator::on_load_matrices(Arguments& args) {
  const std::string called = "T." + args.row->name;
  const auto trans = static_int(args["trans"].value, args["trans"].span, "`trans`");
  const auto count = static_count(args["num"].value, args["num"].span, "num", 1, 4);
  const Argument &from = args["src_access_ptr"], &into = args["dst_access_ptr"];
  const AddressValue *row = from.value.get<AddressValue>(), *held = into.value.get<AddressValue>();
  if (!trans || !count || !need_threads(args)) return {};
  if (!row || row->buffer->scope != Scope::shared) {
    report(Diag::buffer_needed, from.span, called,
           row ? describe(Value(row->buffer)) : describe(from.value))
        .help("pass the address of a row in shared memory: T.access_ptr(A_shared[i, j], \"r\")");
    return {};
  }
  const DType dtype = row->buffer->dtype;
  const int64_t in_row = kRowBytes * 8 / bits(dtype);
  const char* problem = *count == 3 ? "3 matrices"
                        : *trans && bits(dtype) != 16
                            ? "a transposed matrix of elements that are not 2 bytes"
                        : bits(dtype) > 32          ? "elements of more than 4 bytes"
                        : !in_one_row(*row, in_row) ? "rows of less than 16 bytes"
                                                    : nullptr;
  if (problem) {
    report(Diag::statement_unsupported, args.span, called + " of " + problem)
        .help("load 1, 2 or 4 matrices of eight rows, each of 16 contiguous bytes");
    return {};
  }
  const Expr registers = registers_at(into, held, *count * 32 / bits(dtype), called);
  if (!registers) return {};
  if (held->buffer->dtype != dtype) {
    report(Diag::statement_unsupported, args.span, called + " between elements of two dtypes")
        .help("declare the registers with the dtype of the shared buffer");
    return {};
  }
  std::vector<Attr> attrs;
  if (*trans) attrs.push_back(attr("trans", true));
  emit(do_call(Intrinsic::ldmatrix, {registers, elements_at(*row, in_row)}, std::move(attrs)),
       args.span);
  return None{};
}

/// T.ptx_mma(dtype, shape, "row", "col", types of A, B and C, A, first register, B, ..., C, ...).
Value Elaborator::on_multiply_matrices(Arguments& args) {
  const std::string called = "T." + args.row->name;
  const auto* text = args["shape"].value.get<std::string>();
  const auto shape = text ? parse_matrix_shape(*text) : std::nullopt;
  for (const char* implied : {"dtype", "a_dtype", "b_dtype", "c_dtype"}) args[implied];
  if (!need_threads(args)) return {};
  AddressValue places[3];
  for (size_t i = 0; i < 3; ++i) {
    const char* names[][2] = {
        {"multiplicand_a", "a_index"}, {"multiplicand_b", "b_index"}, {"accumulator", "c_index"}};
    const Argument& base = args[names[i][0]];
    const BufferRef* buffer = base.value.get<BufferRef>();
    const Expr first = to_index(args[names[i][1]].value, args[names[i][1]].span);
    if (!first) return {};
    if (!buffer) {
      report(Diag::buffer_needed, base.span, called, describe(base.value))
          .help("pass the pointer of a local buffer: `A_local.data`");
      return {};
    }
    places[i] = address_of_number(*buffer, first);
  }
  const auto& [a, b, c] = places;
  const DType left = a.buffer->dtype, right = b.buffer->dtype;
  const auto* order_a = args["A_layout"].value.get<std::string>();
  const auto* order_b = args["B_layout"].value.get<std::string>();
  const bool ordered = order_a && order_b && *order_a == "row" && *order_b == "col";
  if (!shape || !ordered || !find_mma(*shape, left, right)) {
    const std::string known = shapes_for(left);
    report(Diag::statement_unsupported, args.span,
           called + " of " + std::string(tilelang_name(left)) + " and " +
               std::string(tilelang_name(right)) + (ordered ? " by this shape" : " in this order"))
        .help(known.empty() ? "multiply float16, bfloat16, float32, float64, float8, int8 or uint8"
                            : "use the shape \"" + known + "\" with \"row\" and \"col\"");
    return {};
  }
  if (c.buffer->dtype != accumulator_of(left)) {
    report(Diag::statement_unsupported, args.span,
           called + " that accumulates in " + std::string(tilelang_name(c.buffer->dtype)))
        .help("declare the accumulator with dtype \"" +
              std::string(tilelang_name(accumulator_of(left))) + "\"");
    return {};
  }
  const auto [m, n, k] = *shape;
  const int64_t counts[] = {m * k / 32, n * k / 32, m * n / 32};
  std::vector<Expr> operands;
  for (size_t i : {2, 0, 1}) {
    const Argument& given = args[i == 0   ? "multiplicand_a"
                                 : i == 1 ? "multiplicand_b"
                                          : "accumulator"];
    operands.push_back(registers_at(given, &places[i], counts[i], called));
    if (!operands.back()) return {};
  }
  emit(do_call(Intrinsic::mma, std::move(operands), {attr("shape", to_text(*shape))}), args.span);
  return None{};
}

}  // namespace tilelab::elaborate
