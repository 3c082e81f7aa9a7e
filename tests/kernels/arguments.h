// SPDX-License-Identifier: Apache-2.0
// The arguments of a case, and tables of their addresses.
#pragma once

#include <vector>

#include "core/sim/sim.h"

namespace tilelab {

using Bytes = std::vector<unsigned char>;

struct Tensor {
  sim::Argument shape;                   // data is null
  Bytes bytes;                           // what an input holds
  const unsigned char* given = nullptr;  // where the case holds it
  bool output = false;
};

inline int64_t size_of(const sim::Argument& a) {
  int64_t n = 1;
  for (size_t d = 0; d < a.shape.size(); ++d)
    n = a.strides.empty() ? n * a.shape[d] : n + (a.shape[d] - 1) * a.strides[d];
  return bytes(a.dtype) * n;
}

/// The addresses of a case's arrays, in tensors of addresses, become those of a run.
inline void relocate(const std::vector<Tensor>& tensors, const std::vector<sim::Argument>& run) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const bool table = tensors[i].shape.tensor && tensors[i].shape.dtype == DType::i64;
    if (!table || tensors[i].output) continue;
    auto* entries = static_cast<int64_t*>(run[i].data);
    for (size_t e = 0; e < tensors[i].bytes.size() / sizeof(int64_t); ++e)
      for (size_t k = 0; k < tensors.size(); ++k) {
        const int64_t offset =
            entries[e] - static_cast<int64_t>(reinterpret_cast<uintptr_t>(tensors[k].given));
        if (!tensors[k].given || offset < 0 || offset >= size_of(tensors[k].shape)) continue;
        entries[e] = static_cast<int64_t>(reinterpret_cast<uintptr_t>(run[k].data)) + offset;
        break;
      }
  }
}

}  // namespace tilelab
