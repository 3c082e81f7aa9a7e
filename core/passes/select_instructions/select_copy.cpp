// SPDX-License-Identifier: Apache-2.0
// Selects the hardware for a copy from a tensor to shared memory, if not loads and stores: the copy
// engine, whose boxes need a tensor map, or asynchronous copies of threads that complete in groups.
//   copy(A[m:m + 128, k:k + 64], A_s)  ->  A_map = tensor_map(A, dims=[K, M], strides=[K * 2],
//   box=[64, 128], swz=(16, 128, 7)); copy(..., by="engine", map=A_map)
#include <algorithm>
#include <numeric>

#include "core/analysis/statements.h"
#include "core/ir/build.h"
#include "core/ir/regions.h"
#include "core/passes/shared/hardware_units.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

constexpr int64_t kEngineBytes = 16;  // strides and rows of boxes are multiples of it
constexpr int64_t kMostBoxes = 64;    // of a copy; threads copy what would take more

/// The common requirement of all strategies except loads and stores that the copy violates, or "".
std::string unfit(const Copy& copy, const KernelMemory& memory) {
  const Region &src = to<Region>(copy.src), &dst = to<Region>(copy.dst);
  const Buffer *from = memory.base_buffer(src.buffer), *into = memory.base_buffer(dst.buffer);
  if (!from || !into || from->scope != Scope::global || into->scope != Scope::shared)
    return "it is not from a tensor to a shared buffer";
  from = memory.as_buffer(src.buffer), into = memory.as_buffer(dst.buffer);
  if (!from) return memory.why_no_buffer(src.buffer);
  if (!into) return memory.why_no_buffer(dst.buffer);
  if (from->dtype != into->dtype)
    return "it converts " + std::string(name(from->dtype)) + " to " +
           std::string(name(into->dtype));
  if (from->safe && number_value(from->safe) != 0.0)
    return "outside `" + from->name.str() + "` its padding value is not zero";
  if (copy.layout.known()) return "its threads are fixed (loop_layout)";
  return "";
}

/// Elements from one index of the dimension to the next.
Expr stride(const Buffer& tensor, size_t d) {
  if (!tensor.strides.empty()) return cast(DType::i32, tensor.strides[d]);
  Expr out = int_const(1);
  for (size_t i = d + 1; i < tensor.shape.size(); ++i)
    out = mul(out, cast(DType::i32, tensor.shape[i]));
  return out;
}

class Engine {
 public:
  Engine(const Copy& copy, const Target& target, const KernelMemory& memory,
         const SharedForms& forms, const RangeAnalysis& facts)
      : copy_(copy),
        target_(target),
        memory_(memory),
        facts_(facts),
        src_(to<Region>(copy.src)),
        dst_(to<Region>(copy.dst)),
        into_(with_form(forms)) {}

  EngineChoice choose() {
    EngineChoice out;
    out.refused = refused(out);
    return out;
  }

 private:
  std::string refused(EngineChoice& out) {
    if (!target_.tensor.exists) return "the target has no copy engine";
    if (std::string why = unfit(copy_, memory_); !why.empty()) return why;
    const std::string name = "`" + src_.buffer.str() + "`";
    if (memory_.written(src_.buffer)) return "the kernel writes " + name;
    if (memory_.escapes(dst_.buffer)) return "`" + dst_.buffer.str() + "` is used by an intrinsic";
    if (!into_.name) return memory_.why_no_buffer(dst_.buffer);
    size_t first = 0;  // after the indices of a slot
    while (copy_.barrier && first < dst_.dims.size() && dst_.dims[first].point) ++first;
    int64_t slot = bytes(into_.dtype);
    for (size_t d = first; d < dst_.dims.size(); ++d) slot *= dst_.dims[d].extent;
    if (first > 0 && slot % kBoxAlignment != 0)
      return "the slots of `" + dst_.buffer.str() + "` do not start at multiples of " +
             std::to_string(kBoxAlignment) + " bytes";
    for (size_t d = first; d < dst_.dims.size(); ++d)
      if (dst_.dims[d].extent != int_value(into_.shape[d]))
        return "it fills a part of `" + dst_.buffer.str() + "`";
    const Buffer& tensor = *memory_.as_buffer(src_.buffer);
    if (src_.dims.back().extent == 1)
      return "its elements are not contiguous in the last dimension";
    out.order = map_order(src_, target_);
    if (std::string why = describe_tensor(src_, memory_, target_, facts_, out.map, out.order);
        !why.empty())
      return why;
    return boxes(tensor, out.map);
  }

  /// The destination with its future layout; without a name if undetermined.
  Buffer with_form(const SharedForms& forms) const {
    const Buffer* memory = memory_.base_buffer(dst_.buffer);
    if (!memory) return {};
    const Buffer whole = forms.with_form(*memory);
    auto view = memory_.views.find(dst_.buffer);
    return view == memory_.views.end() ? whole
                                       : view_as_buffer(whole, *view->second).value_or(Buffer());
  }

  /// One box contains all rows of a chunk, which are contiguous in shared memory.
  std::string boxes(const Buffer& tensor, TensorMap& map) const {
    const std::vector<size_t> from = long_dims(src_), into = long_dims(dst_);
    if (from.size() != into.size()) return "its regions have different dimensions";
    if (into_.where.known())
      return "`" + into_.name.str() + "` has a layout without digits, which boxes cannot use";
    const int64_t size = bytes(tensor.dtype), limit = target_.tensor.max_box;
    std::vector<int64_t> box(src_.dims.size(), 1);
    for (size_t i = 0; i < from.size(); ++i) {
      const int64_t all = src_.dims[from[i]].extent;
      int64_t piece = all;
      if (i + 1 == from.size() && into_.layout.known()) {
        const Digits& digits = into_.layout.dims[into[i]];
        if (digits.empty() || digits.back().stride != 1)
          return "`" + into_.name.str() + "` is not contiguous in its last dimension";
        piece = digits.back().extent;
      }
      while (piece > limit || all % piece != 0) --piece;
      box[from[i]] = piece;
    }
    if (box.back() * size % kEngineBytes != 0)
      return "a row of its boxes is not a multiple of 16 bytes";
    if (!engine_swizzles(target_, into_.swizzle, box.back() * size))
      return "it does not have the swizzle of `" + into_.name.str() + "`";
    if (!target_.tensor.box_in_descriptor) return too_many(from, into, box);
    map.box.assign(box.rbegin(), box.rend());
    map.swizzle = into_.swizzle;
    return "";
  }

  /// Why boxes of at most these pieces of the dimensions `from`, to those of `into`, would be too
  /// many, or "". A box has what is contiguous in shared memory.
  std::string too_many(const std::vector<size_t>& from, const std::vector<size_t>& into,
                       const std::vector<int64_t>& box) const {
    int64_t boxes = 1, together = 1, below = 1;
    for (size_t i = from.size(); i-- > 0;) {
      const int64_t all = src_.dims[from[i]].extent;
      const Digits digits = into_.layout.known() ? into_.layout.dims[into[i]] : Digits();
      const Digit last = digits.empty() ? Digit{'a', all, below} : digits.back();
      const int64_t piece =
          last.stride == together ? std::gcd(box[from[i]], last.extent) : int64_t{1};
      boxes *= all / piece, together *= piece, below *= all;
    }
    const int64_t size = together * bytes(into_.dtype);
    if (boxes == 1 || (boxes <= kMostBoxes && size % kBoxAlignment == 0)) return "";
    return "it takes " + std::to_string(boxes) + " boxes of " + std::to_string(size) + " bytes";
  }

  const Copy& copy_;
  const Target& target_;
  const KernelMemory& memory_;
  const RangeAnalysis& facts_;
  const Region &src_, &dst_;
  const Buffer into_;  // with its future layout
};

}  // namespace

bool engine_swizzles(const Target& target, const Swizzle& swizzle, int64_t inner) {
  if (!swizzle.known()) return true;
  const int64_t span = (swizzle.mask + int64_t{1}) * swizzle.granule;
  if (target.tensor.box_in_descriptor)
    return swizzle.granule == 16 && swizzle.line == 128 && inner <= span &&
           (span == 32 || span == 64 || span == 128);
  return swizzle.granule >= 16 && swizzle.granule <= 64 && swizzle.line == 256 && span == 256 &&
         inner <= 256;
}

std::vector<size_t> map_order(const Region& box, const Target& target) {
  const std::vector<size_t> along = long_dims(box);
  std::vector<size_t> out;
  if (!target.tensor.box_in_descriptor) out.assign(along.rbegin(), along.rend());
  for (size_t d = box.dims.size(); d-- > 0;)
    if (std::find(out.begin(), out.end(), d) == out.end()) out.push_back(d);
  return out;
}

std::string describe_tensor(const Region& box, const KernelMemory& memory, const Target& target,
                            const RangeAnalysis& facts, TensorMap& map, std::vector<size_t> order) {
  const Buffer& tensor = *memory.as_buffer(box.buffer);
  const std::string name = "`" + tensor.name.str() + "`";
  if (tensor.shape.size() > size_t(target.tensor.max_rank))
    return name + " has too many dimensions";
  if (!tensor.strides.empty() && !is_int(tensor.strides.back(), 1))
    return name + " has a stride in its last dimension";
  // An H200 reports an illegal instruction for a box that starts elsewhere.
  if (facts.range(box.dims.back().lo).multiple * bytes(tensor.dtype) % kEngineBytes != 0)
    return "rows of the box are not known to start at multiples of 16 bytes";
  const Buffer& whole = *memory.base_buffer(tensor.name);
  if (whole.address)
    return "the kernel computes the address of " + name + ", but the host makes tensor maps";
  map.buffer = whole.name;
  if (bits(tensor.dtype) != bits(whole.dtype)) map.bits = bits(tensor.dtype);
  if (order.empty())
    for (size_t d = tensor.shape.size(); d-- > 0;) order.push_back(d);
  for (size_t d : order) map.dims.push_back(tensor.shape[d]);
  for (size_t d : order) {
    if (d + 1 == tensor.shape.size()) continue;
    map.strides.push_back(mul(stride(tensor, d), int_const(bytes(tensor.dtype))));
    if (facts.range(map.strides.back()).multiple % kEngineBytes != 0)
      return "rows of " + name + " are not known to start at multiples of 16 bytes";
  }
  return "";
}

EngineChoice choose_engine(const Copy& copy, const Target& target, const KernelMemory& memory,
                           const SharedForms& forms, const RangeAnalysis& facts) {
  return Engine(copy, target, memory, forms, facts).choose();
}

std::string not_asynchronous(const Copy& copy, const Target& target, const KernelMemory& memory) {
  if (!target.async_copy) return "the target has no asynchronous copies";
  return unfit(copy, memory);
}

}  // namespace tilelab
