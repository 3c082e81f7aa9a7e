// SPDX-License-Identifier: Apache-2.0
// L0 rules of asynchronous copies, the copy engine and SQMMA.
#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "tests/emulation/lint_kernel.h"

namespace tilelab::codegen {

/// Bytes of an element of a tensor map; 0 if the map is unknown.
int LintKernel::element_bytes(Symbol map) const {
  int result = 0;
  for_each_of_host(func_, [&](const TensorMap& m) {
    if (auto it = buffers_.find(m.buffer); m.name == map && it != buffers_.end())
      result = bytes(m.element(it->second->dtype));
  });
  return result;
}

namespace {

/// The call if it announces bytes to a barrier, else null.
const Call* announcement(const Stmt& stmt) {
  const Do* d = as<Do>(stmt);
  const Call* call = d ? as<Call>(d->call) : nullptr;
  const bool announces = call && (call->intrinsic == Intrinsic::bar_expect ||
                                  call->intrinsic == Intrinsic::bar_arrive_expect);
  return announces ? call : nullptr;
}

/// The bytes that a sequence announces to the barrier of `expect`, if that is the first
/// announcement.
std::optional<int64_t> announced_with(const Call& expect, const Seq& seq) {
  int64_t sum = 0;
  for (const Stmt& s : seq.stmts) {
    const Call* other = announcement(s);
    if (!other || !equal(other->args[0], expect.args[0])) continue;
    const auto bytes = int_value(other->args[1]);
    if (!bytes || (sum == 0 && other != &expect)) return std::nullopt;
    sum += *bytes;
  }
  return sum;
}

}  // namespace

/// In one sequence: the bytes announced to a barrier equal those of its boxes.
void LintKernel::announced_bytes(const Seq& seq) {
  if (target_.tensor.box_in_descriptor) return;
  for (const Stmt& s : seq.stmts) {
    const Call* expect = announcement(s);
    if (!expect) continue;
    const auto announced = announced_with(*expect, seq);
    int64_t brought = 0;
    bool known = announced.has_value();
    for (const Stmt& other : seq.stmts) {
      const Do* load_stmt = as<Do>(other);
      const Call* load = load_stmt ? as<Call>(load_stmt->call) : nullptr;
      if (other->kind == Kind::For || other->kind == Kind::If)  // may contain loads
        known &= !calls(*other, {Intrinsic::tma_load});
      if (!load || load->intrinsic != Intrinsic::tma_load || !equal(load->args[3], expect->args[0]))
        continue;
      const Attr* box = find_attr(load->attrs, "box");
      const Name* map = as<Name>(load->args[1]);
      int64_t size = map ? element_bytes(map->id) : 0;
      known &= box && size > 0;
      if (box)
        for (int64_t extent : box->list) size *= extent;
      brought += size;
    }
    if (known && brought != *announced)
      complain(*expect, std::to_string(*announced) +
                            " bytes are announced, but the boxes deliver " +
                            std::to_string(brought));
  }
}

void LintKernel::tile(const Call& c) {
  if (target_.tensor.box_in_descriptor) return;
  const bool is_load = c.intrinsic == Intrinsic::tma_load;
  const Name* map = as<Name>(c.args[is_load ? 1 : 0]);
  const int element = map ? element_bytes(map->id) : 0;
  const Attr* box = find_attr(c.attrs, "box");
  if (!box || box->list.empty()) return complain(c, "a TMA copy without a box");
  if (!element) return complain(c, "a TMA copy without a known tensor map");
  const int64_t row = box->list[0] * element;
  if (row % 16) complain(c, "box rows of " + std::to_string(row) + " bytes, not a multiple of 16");
  for (int64_t extent : box->list)
    if (extent < 1 || extent > target_.tensor.max_box)
      complain(c, "a box extent of " + std::to_string(extent));
  const Attr* granule = find_attr(c.attrs, "granule");
  const int64_t g = granule ? granule->integer : 0;
  if (g != 0 && g != 16 && g != 32 && g != 64)
    complain(c, "a swizzle granule of " + std::to_string(g) + " bytes");
  if (g == 0) return;
  if (row > 256) complain(c, "a swizzled box " + std::to_string(row) + " bytes wide, at most 256");
  const Expr& place = c.args[is_load ? 0 : 2];
  if (!is_integer(place->type.dtype) || as<Region>(place)) return;
  const Range address = facts_.range(place);
  if (address.lo == address.hi
          ? address.lo % 256 != 0
          : address.multiple > 1 && 256 % address.multiple == 0 && address.multiple < 256)
    complain(c, "a swizzled box whose address is a multiple of " +
                    std::to_string(address.multiple) + " bytes only");
}

void LintKernel::thread_copy(const Call& c) {
  for (const Expr& e : c.args) {
    const Region* r = as<Region>(e);
    if (!r) continue;
    const int64_t size = elements(*r) * bytes(r->type.dtype);
    if (size != 4 && size != 8 && size != 16)
      complain(c, "an asynchronous copy of " + std::to_string(size) + " bytes, not 4, 8 or 16");
  }
}

void LintKernel::product(const Call& c) {
  const std::string what = name(c.intrinsic);
  const Attr *shape = find_attr(c.attrs, "shape"), *dtype = find_attr(c.attrs, "dtype");
  const auto mnk = shape ? parse_matrix_shape(shape->string) : std::nullopt;
  const MatrixInstruction* row = matrix_of(what, target_.letter, mnk);
  if (!row) return complain(c, "the target has no " + what);
  const bool described = row->in_shared(row->b);  // its operands have no dtype
  if (!shape || (described && !dtype)) return complain(c, what + " without shape or operand dtype");
  const Region* a = as<Region>(c.args[1]);
  const auto type = dtype ? dtype_from_name(dtype->string)
                    : a   ? std::optional(a->type.dtype)
                          : std::nullopt;
  for (const MatrixInstruction& other : matrix_instructions())  // of the same shape
    if (type && other.intrinsic == what && target_.has(other) &&
        other.shapes_mn == row->shapes_mn && !row->supports(tilelab::name(*type)) &&
        other.supports(tilelab::name(*type)))
      row = &other;
  if (!type || !row->supports(tilelab::name(*type))) return complain(c, what + " of unknown type");
  if (!mnk || !row->has_shape(*mnk, bits(*type)))
    return complain(c, what + " has no shape " + shape->string + " for " + tilelab::name(*type));
  const Region* sums = as<Region>(c.args[0]);
  const int64_t held = mnk->m * mnk->n / row->lanes;
  if (sums && elements(*sums) != held)
    complain(c, what + " " + shape->string + " on " + std::to_string(elements(*sums)) +
                    " accumulators, " + std::to_string(held) + " expected");
  if (c.intrinsic == Intrinsic::sqmma)
    for (size_t i : {size_t(1), size_t(2)}) descriptor(c, c.args[i]);
}

/// Fields of an operand descriptor: start below 2^18, pitch code 1..6, granule code 0..3.
void LintKernel::descriptor(const Call& c, const Expr& e) {
  if (!is_integer(e->type.dtype) || as<Region>(e)) return;
  const Range value = facts_.range(e);
  if (value.hi - value.lo >= (int64_t{1} << 18)) return;  // range too wide
  const int64_t low = value.lo >> 18, high = value.hi >> 18;
  if (low != high) return complain(c, "an SQMMA descriptor whose address runs into its fields");
  const int64_t pitch = low & 7, granule = low >> 3;
  if (pitch < 1 || pitch > 6)
    complain(c, "an SQMMA descriptor with pitch code " + std::to_string(pitch));
  if (granule < 0 || granule > 3)
    complain(c, "an SQMMA descriptor with granule code " + std::to_string(granule));
  const int64_t end = value.hi & ((int64_t{1} << 18) - 1);
  if (end >= kernel_.smem)
    complain(c, "an SQMMA operand at byte " + std::to_string(end) + " of " +
                    std::to_string(kernel_.smem) + " bytes of shared memory");
}

}  // namespace tilelab::codegen
