// SPDX-License-Identifier: Apache-2.0
#include "core/host/tensor_memory.h"

#include <algorithm>
#include <vector>

namespace tilelab::host {
namespace {

constexpr int64_t kLargest = int64_t{1} << 56;  // bytes
constexpr int kSteps = 10'000;                  // of a search

/// The values stride * x for 0 <= x < count; the stride is positive.
struct Term {
  int64_t stride = 0, count = 0;
  int64_t most() const { return stride * (count - 1); }
};

/// Searches for a sum of one value per term that equals `wanted`. In the usual layouts each stride
/// exceeds the sum of the smaller terms, so at most two values of a term can be part of it.
class SumSearch {
 public:
  explicit SumSearch(std::vector<Term> terms) : terms_(std::move(terms)), most_(terms_.size() + 1) {
    std::sort(terms_.begin(), terms_.end(),
              [](const Term& a, const Term& b) { return a.stride > b.stride; });
    for (size_t i = terms_.size(); i-- > 0;) most_[i] = most_[i + 1] + terms_[i].most();
  }

  /// True if the search is too long.
  bool finds(int64_t wanted, size_t first = 0) {
    if (wanted < 0 || wanted > most_[first]) return false;
    if (first == terms_.size()) return true;
    const Term& term = terms_[first];
    const int64_t lacking = std::max<int64_t>(wanted - most_[first + 1], 0);
    const int64_t last = std::min(term.count - 1, wanted / term.stride);
    for (int64_t x = (lacking + term.stride - 1) / term.stride; x <= last; ++x)
      if (++steps_ > kSteps || finds(wanted - x * term.stride, first + 1)) return true;
    return false;
  }

 private:
  std::vector<Term> terms_;
  std::vector<int64_t> most_;  // the sum of the terms from each one on
  int steps_ = 0;
};

bool is_empty(const TensorMemory& t) {
  return std::find(t.shape.begin(), t.shape.end(), 0) != t.shape.end();
}

/// Byte offsets of elements: a term for each dimension with several elements and a stride.
std::vector<Term> terms_of(const TensorMemory& t) {
  std::vector<Term> out;
  for (size_t i = 0; i < t.shape.size(); ++i)
    if (t.shape[i] > 1 && t.strides[i] != 0) out.push_back({t.strides[i] * t.unit, t.shape[i]});
  return out;
}

/// Whether each stride exceeds the offsets of the dimensions after it, as in most layouts.
bool is_nested(const TensorMemory& t) {
  int64_t most = 0;
  for (size_t i = t.shape.size(); i-- > 0;) {
    if (t.shape[i] == 1) continue;
    if (t.strides[i] <= most) return false;
    most += t.strides[i] * (t.shape[i] - 1);
  }
  return true;
}

/// A dimension along which different indices have the same element.
Problem shared_elements(const TensorMemory& t) {
  if (is_nested(t)) return {};
  std::vector<size_t> dims;
  for (size_t i = 0; i < t.shape.size(); ++i)
    if (t.shape[i] > 1) dims.push_back(i);
  std::sort(dims.begin(), dims.end(),
            [&](size_t a, size_t b) { return t.strides[a] < t.strides[b]; });
  // Two indices whose largest stride with a difference is that of dimension k: the differences of
  // the smaller dimensions, d_i in [1 - n_i, n_i - 1], must cancel d_k > 0 of it.
  std::vector<Term> inner;
  int64_t most = 0;
  for (const size_t k : dims) {
    const int64_t stride = t.strides[k] * t.unit;
    if (stride == 0) return {"shared elements", k};
    for (int64_t d = 1; d < t.shape[k] && d * stride <= most; ++d)
      if (d > kSteps || SumSearch(inner).finds(most + d * stride)) return {"shared elements", k};
    inner.push_back({stride, 2 * t.shape[k] - 1});
    most += stride * (t.shape[k] - 1);
  }
  return {};
}

}  // namespace

int64_t reach(const TensorMemory& tensor) {
  if (is_empty(tensor)) return 0;
  int64_t last = 0;
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    if (tensor.shape[i] > 1) last += tensor.strides[i] * (tensor.shape[i] - 1);
  return last * tensor.unit + tensor.item;
}

Problem layout_problem(const TensorMemory& tensor, bool written) {
  if (is_empty(tensor)) return {};
  if (!tensor.data) return {"no memory"};
  int64_t last = 0;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] == 1) continue;
    int64_t stride = 0, most = 0;
    if (__builtin_mul_overflow(tensor.strides[i], tensor.unit, &stride) ||
        __builtin_mul_overflow(stride, tensor.shape[i] - 1, &most) ||
        __builtin_add_overflow(last, most, &last) || last > kLargest)
      return {"large stride", i};
    if (stride % tensor.item != 0) return {"fractional stride", i};
    if (stride < 0) return {"negative stride", i};
  }
  if (reinterpret_cast<uintptr_t>(tensor.data) % uintptr_t(tensor.item) != 0) return {"misaligned"};
  return written ? shared_elements(tensor) : Problem{};
}

bool overlap(const TensorMemory& a, const TensorMemory& b) {
  if (is_empty(a) || is_empty(b)) return false;
  const auto begin = [](const TensorMemory& t) { return reinterpret_cast<uintptr_t>(t.data); };
  const int64_t reach_b = reach(b);
  if (begin(a) >= begin(b) + uintptr_t(reach_b)) return false;
  if (begin(b) >= begin(a) + uintptr_t(reach(a))) return false;
  // Byte offsets of `a` are terms; those of `b`, subtracted from the largest, are terms as well.
  std::vector<Term> terms = terms_of(a);
  for (const Term& term : terms_of(b)) {
    const auto same = std::find_if(terms.begin(), terms.end(),
                                   [&](const Term& x) { return x.stride == term.stride; });
    if (same == terms.end())
      terms.push_back(term);
    else
      same->count += term.count - 1;
  }
  terms.push_back({1, a.item + b.item - 1});
  return SumSearch(std::move(terms)).finds(int64_t(begin(b) - begin(a)) + reach_b - 1);
}

}  // namespace tilelab::host
