// SPDX-License-Identifier: Apache-2.0
// Generated arguments for a kernel without a call.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/ir/func.h"
#include "core/sim/sim.h"

namespace tilelab {

/// Tensors cost address space and no time: their pages are copies of a short pattern, which the
/// system makes on the first write. Adjacent elements of float tensors differ; integers, which may
/// be indices, are 0.
class MadeUpArguments {
 public:
  MadeUpArguments(const Func& func, const std::map<Symbol, int64_t>& sizes);

  std::vector<sim::Argument> arguments;
  std::string problem;  // why there are none; else ""

 private:
  struct Unmap {
    size_t bytes = 0;
    void operator()(void* memory) const;
  };
  using Memory = std::unique_ptr<void, Unmap>;

  int64_t size_of(const Func& func, Symbol name);
  void add_tensor(const Func& func, const Param& param, const Buffer& tensor, bool fresh);
  Memory memory_of(DType dtype, size_t bytes);
  int pattern_of(DType dtype);

  std::map<Symbol, int64_t> sizes_;
  std::map<DType, int> patterns_;  // files in memory
  std::vector<Memory> memory_;
};

}  // namespace tilelab
