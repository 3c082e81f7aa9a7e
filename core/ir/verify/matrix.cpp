// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication: gemm and the matrix instructions, by the rows of core/layout/matrix.def.
#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/intrinsics/expanded_matrices.h"
#include "core/ir/verify/verifier.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

bool positive(const std::vector<int64_t>& list, size_t count) {
  return list.size() == count &&
         std::all_of(list.begin(), list.end(), [](int64_t x) { return x > 0; });
}

/// Extent of the second to last dimension (`row`), or of the last.
int64_t extent(const Region& r, bool row) { return r.dims[r.dims.size() - (row ? 2 : 1)].extent; }

/// Two dimensions, after others of extent 1.
bool is_matrix(const Region& r) {
  return r.dims.size() >= 2 &&
         std::all_of(r.dims.begin(), r.dims.end() - 2, [](auto& d) { return d.extent == 1; });
}

/// Factors have the same dtype, or both are 8-bit integers or both 8-bit floats.
bool same_kind(DType a, DType b) {
  return a == b || (bits(a) == 8 && bits(b) == 8 && is_float(a) == is_float(b));
}

}  // namespace

void Verifier::product(const Gemm& n) {
  if (!n.inst.empty() && !positive(n.inst, 3)) return rule("an instruction of gemm has m, n and k");
  const bool counted = n.warps.empty() || positive(n.warps, 2);
  if (!counted) rule("the warps of gemm are counts along m and n");
  if (n.wait < -1) rule("gemm waits for a number of groups, or -1");
  if (n.workspaces.size() > 2) rule("gemm has at most two workspaces");
  const Region *a = as<Region>(n.a), *b = as<Region>(n.b), *c = as<Region>(n.c);
  if (!a || !b || !c) return;
  for (const Region* operand : {a, b, c})
    if (!is_matrix(*operand))
      return rule("an operand of gemm is a matrix, `" + operand->buffer.str() + "` has " +
                  (operand->dims.size() < 2 ? "one dimension" : "several matrices") + " here");
  const int64_t product[] = {extent(*c, true), extent(*c, false), extent(*a, n.trans_a)};
  if (extent(*a, !n.trans_a) != product[0] || extent(*b, n.trans_b) != product[1] ||
      extent(*b, !n.trans_b) != product[2])
    return rule("the operands of gemm do not agree in m, n and k");
  if (n.tf32 && (a->type.dtype != DType::f32 || b->type.dtype != DType::f32))
    rule("gemm reads operands of f32 as tf32, not of " + std::string(name(a->type.dtype)));
  if (n.tf32 && bits(c->type.dtype) > 32)
    rule("gemm by tf32 accumulates in f32, not in " + std::string(name(c->type.dtype)));
  for (size_t i = 0; i < n.inst.size(); ++i)
    if (product[i] % n.inst[i] != 0)
      rule("extent " + std::to_string(product[i]) +
           " of gemm is not a multiple of that of its instruction, " + std::to_string(n.inst[i]));
  if (const MatrixInstruction* row = find_matrix(name(n.by))) multiplied(n, *row);
  if (!n.inst.empty() && !n.warps.empty() && counted) distributed_over_threads(n, product);
}

/// The instruction supports these dtypes and operand scopes.
void Verifier::multiplied(const Gemm& n, const MatrixInstruction& row) {
  const Region &a = to<Region>(n.a), &b = to<Region>(n.b), &c = to<Region>(n.c);
  const std::string by = "gemm by " + std::string(row.name);
  if (row.targets.find(limits_.letter) == std::string_view::npos)
    return report(Diag::target_lacks, here_, row.name, func_.target,
                  "it has different matrix instructions");
  const DType left = a.type.dtype, right = b.type.dtype, sums = c.type.dtype;
  if (!row.supports(name(left)) || !row.supports(name(right)) || !same_kind(left, right))
    return rule(by + " cannot multiply " + name(left) + " by " + name(right));
  if (left == DType::f32 && !n.tf32)
    rule(by + " reads operands of f32 as tf32: write tf32=True, or by=\"fma\"");
  if (n.inst.empty() || n.warps.empty())
    rule(by +
         " needs the shape of its instructions (`inst`) and the warps that issue them (`warps`)");
  else if (!row.has_shape({n.inst[0], n.inst[1], n.inst[2]}, bits(left)))
    rule(by + " of " + name(left) + " has no instruction of " + std::to_string(n.inst[0]) + " x " +
         std::to_string(n.inst[1]) + " x " + std::to_string(n.inst[2]));
  if (sums != accumulator_of(left))
    rule(by + " accumulates products of " + name(left) + " in " + name(accumulator_of(left)) +
         ", `" + c.buffer.str() + "` has " + name(sums));
  auto reaches = [&](const Region& factor, OperandPlace place, const char* which) {
    if (!row.in_registers(place) && in_fragment(factor))
      rule(by + " takes its " + which + " operand from shared memory, `" + factor.buffer.str() +
           "` is a fragment");
  };
  reaches(a, row.a, "left"), reaches(b, row.b, "right");
}

/// How warps distribute the instructions of the gemm.
void Verifier::distributed_over_threads(const Gemm& n, const int64_t (&product)[3]) {
  const MatrixInstruction* row = find_matrix(name(n.by));
  const int64_t issuers = row ? row->warps : 1, threads = threads_here();
  const bool here = n.warps[0] <= threads && n.warps[1] <= threads &&
                    n.warps[0] * n.warps[1] * limits_.lanes <= threads;
  if (row && !here)
    return rule("gemm by " + std::string(name(n.by)) + " takes more warps than the " +
                plural(threads, "thread") + " that reach it have");
  if (n.warps[0] % issuers != 0)
    return rule("the warps of gemm along m must be a multiple of the " + std::to_string(issuers) +
                " that issue " + std::string(name(n.by)) + " together");
  const int64_t units[] = {n.warps[0] / issuers, n.warps[1]};
  for (size_t i = 0; i < 2; ++i)
    if (product[i] % (units[i] * n.inst[i]) != 0)
      rule("extent " + std::to_string(product[i]) + " of gemm cannot be distributed over " +
           plural(n.warps[i], "warp") + " of instructions of " + std::to_string(n.inst[i]));
}

// ---- instructions

bool is_matrix_shape(Intrinsic intrinsic, const std::string& text) {
  const auto shape = parse_matrix_shape(text);
  if (!shape) return false;
  const auto rows = matrix_instructions();
  return std::any_of(rows.begin(), rows.end(), [&](const MatrixInstruction& row) {
    if (row.intrinsic != name(intrinsic)) return false;
    return row.has_shape(*shape, 8) || row.has_shape(*shape, 16) || row.has_shape(*shape, 32) ||
           row.has_shape(*shape, 64);
  });
}

/// ldmatrix and stmatrix transfer 1, 2 or 4 matrices, 4 bytes of each per thread.
void Verifier::matrix_registers(const Call& n, size_t registers) {
  if (n.args.size() <= registers || !n.args[registers]) return;
  const std::string of = name(n.intrinsic);
  const Type& type = n.args[registers]->type;
  const int64_t held = int64_t{type.lanes} * bits(type.dtype) / 8;
  if (held != 4 && held != 8 && held != 16)
    rule("`" + of + "` " + (registers ? "takes from" : "gives") +
         " a thread 4, 8 or 16 bytes, not " + std::to_string(held));
  const Attr* trans = find_attr(n.attrs, "trans");
  if (trans && trans->integer && bits(type.dtype) != 16)
    rule("`" + of + "` transposes only matrices of 2-byte elements");
  const Region* row = as<Region>(n.args[1 - registers]);
  const Entry* entry = row ? find(row->buffer) : nullptr;
  if (entry && entry->scope != Scope::shared)
    rule("`" + of + "` takes its rows from shared memory, `" + row->buffer.str() +
         "` is not there");
}

/// Whether the target may lack the instruction: it becomes shuffles within 32 lanes.
bool Verifier::expands_here(const Call& n) const {
  return level_ == Level::tile && expands_to_shuffles(n.intrinsic);
}

/// The registers and rows of an instruction that may become shuffles.
void Verifier::expanded_operands(const Call& n) {
  const std::string of = name(n.intrinsic);
  if (n.intrinsic == Intrinsic::ldmatrix && n.args.size() == 2) {
    const Region *held = as<Region>(n.args[0]), *row = as<Region>(n.args[1]);
    if (!held || !row) return;  // reported with the operand
    const DType dtype = held->type.dtype;
    if (bits(dtype) > 32 || row->type.dtype != dtype || row->dims.empty())
      rule("`" + of + "` loads rows of elements of 4 bytes or less, of one dtype");
  }
  const Attr* text = find_attr(n.attrs, "shape");
  const auto shape = text ? parse_matrix_shape(text->string) : std::nullopt;
  if (n.intrinsic != Intrinsic::mma || !shape || n.args.size() != 3) return;
  const int64_t counts[] = {shape->m * shape->n, shape->m * shape->k, shape->k * shape->n};
  for (size_t i = 0; i < 3; ++i)
    if (n.args[i] && 32 * n.args[i]->type.lanes != counts[i])
      rule("operand " + std::to_string(i) + " of `" + of + "` has " +
           plural(counts[i] / 32, "register") + " for this shape, not " +
           std::to_string(n.args[i]->type.lanes));
}

/// Operands of an instruction of that shape.
void Verifier::matrix_operands(const Call& n) {
  const std::string of = name(n.intrinsic);
  if (expands_here(n) && limits_.lanes % 32 != 0)
    return report(Diag::target_lacks, here_, of, func_.target, "it has no warps of 32 lanes");
  if (expands_here(n)) expanded_operands(n);
  if (n.intrinsic == Intrinsic::ldmatrix) matrix_registers(n, 0);
  if (n.intrinsic == Intrinsic::stmatrix) matrix_registers(n, 1);
  const Attr* text = find_attr(n.attrs, "shape");
  const auto shape = text ? parse_matrix_shape(text->string) : std::nullopt;
  if (!shape || !is_matrix_shape(n.intrinsic, text->string) || n.args.size() < 3) return;
  if (!limits_.features.has(info(n.intrinsic).needs)) return;  // reported with the call
  const Attr* stated = find_attr(n.attrs, "dtype");
  const auto rows = matrix_instructions();
  if (!n.args[0]) return;
  for (size_t i : {1, 2}) {
    if (!n.args[i]) return;
    const auto dtype = stated ? dtype_from_name(stated->string) : n.args[i]->type.dtype;
    if (!dtype) return;  // reported with the attribute
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const MatrixInstruction& row) {
      const bool here = row.targets.find(limits_.letter) != std::string_view::npos;
      const bool known = expands_here(n) ? expands_to_shuffles(row) : here;
      return row.intrinsic == of && known && row.supports(name(*dtype)) &&
             row.has_shape(*shape, bits(*dtype));
    });
    if (row == rows.end())
      return rule("`" + of + "` of " + name(*dtype) + " does not have that shape");
    const Region* held = as<Region>(n.args[i]);
    const Entry* entry = held ? find(held->buffer) : nullptr;
    if (entry && entry->scope == Scope::local && !row->in_registers(i == 1 ? row->a : row->b))
      rule("`" + of + "` takes operand " + std::to_string(i) + " from shared memory");
    if (n.args[0]->type.dtype != accumulator_of(*dtype))
      return rule("`" + of + "` accumulates products of " + name(*dtype) + " in " +
                  name(accumulator_of(*dtype)) + ", not in " + name(n.args[0]->type.dtype));
  }
  if (!stated && !same_kind(n.args[1]->type.dtype, n.args[2]->type.dtype))
    rule("`" + of + "` cannot multiply " + name(n.args[1]->type.dtype) + " by " +
         name(n.args[2]->type.dtype));
}

}  // namespace tilelab
