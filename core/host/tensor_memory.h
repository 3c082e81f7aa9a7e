// SPDX-License-Identifier: Apache-2.0
// Where the elements of a tensor argument are in memory: which layouts kernels can access, and
// which tensors share memory. All ways to call a kernel ask these functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tilelab::host {

/// The memory of a tensor. Strides count units of `unit` bytes: 1, or the size of an element.
struct TensorMemory {
  const void* data = nullptr;  // the first element
  int64_t item = 1;            // bytes of an element
  int64_t unit = 1;
  std::span<const int64_t> shape, strides;

  /// In elements.
  int64_t stride(size_t dim) const { return unit == item ? strides[dim] : strides[dim] / item; }
};

/// Why kernels cannot take a tensor; "": they can.
struct Problem {
  std::string_view what;
  size_t dim = 0;  // of the tensor, if it concerns one
  int64_t wanted = 0, given = 0;
  explicit operator bool() const { return !what.empty(); }
};

/// "no memory"; "misaligned": the address is not a multiple of the element size; "fractional
/// stride": nor is a stride; "negative stride"; "large stride": offsets overflow; "shared
/// elements": written, although two indices have the same element. Strides of dimensions with one
/// element do not count.
Problem layout_problem(const TensorMemory& tensor, bool written);

/// Bytes from the first element to the end of the last, of a tensor without a layout problem.
int64_t reach(const TensorMemory& tensor);

/// Whether an element of one tensor shares bytes with an element of the other.
bool overlap(const TensorMemory& a, const TensorMemory& b);

}  // namespace tilelab::host
