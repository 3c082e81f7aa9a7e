// SPDX-License-Identifier: Apache-2.0
// The choice between the plain roads (loads and stores, multiply-adds, loops in order) and the
// machine's own units: matrix instructions, copy engines, rings and roles (docs/adr/0017).
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/effects.h"
#include "core/ir/traverse.h"
#include "core/layout/shared_operand.h"
#include "core/passes/facts.h"
#include "core/passes/pass.h"
#include "core/targets/partition.h"

namespace tilelab {

/// Whether the function may have them: unless its pass configuration `hardware_units` is false.
bool uses_hardware_units(const Func& func);
/// Whether the configuration was given and is true: then a product that no unit takes is a warning,
/// else a reason, since small and exact products belong to the threads.
bool asks_for_hardware_units(const Func& func);
/// The function with this pass configuration.
FuncRef with_config(const FuncRef& func, const Attr& config);

/// What the user keeps from it, by the configurations that TileLang has for that.
struct UnitOptions {
  explicit UnitOptions(const Func& func);
  bool tensor_engine = true, roles = true;
  bool loops_in_order = false;            // run_passes, where schedules were refused
  int64_t kept_shared = 0;                // bytes that are left to later passes, which need them
  int64_t processors = -1;                // of the card; -1: as the target's record says
  std::vector<std::string_view> without;  // matrix instructions that are not wanted
};

/// How many bytes of shared memory a kernel needs more than a block of the target has, its
/// layouts being decided (plan_shared_memory.cpp).
int64_t lacking_shared_memory(const Func& func, const Target& target);

/// "12: ", for reasons; empty where the line is not known.
std::string line_of(const Node& node);

/// What passes must know of a kernel to choose for one of its statements.
struct KernelMemory {
  KernelMemory(const Func& func, const Kernel& kernel);
  /// The buffer, where the region names it itself; null where a view stands between.
  const Buffer* buffer(const Region& region) const;
  /// Whether the kernel has a view of the buffer, or hands it to an intrinsic.
  bool seen_otherwise(Symbol buffer) const { return otherwise_.count(buffer) != 0; }
  bool read(Symbol buffer) const { return touched_.read.count(buffer) != 0; }
  /// Whether the fragment is a product's left factor, or what such a factor is computed from.
  bool is_left(Symbol fragment) const { return left_.count(fragment) != 0; }
  bool written(Symbol buffer) const { return touched_.written.count(buffer) != 0; }

  BufferTable buffers;
  BufferViews views;
  std::unordered_map<Symbol, std::vector<const Gemm*>> products;  // by what they sum in
  int64_t shared_bytes = 0;                                       // of all that it declares

 private:
  Touched touched_;
  std::unordered_set<Symbol> left_;
  std::unordered_map<Symbol, int> otherwise_;
};

/// How the last two dimensions of a shared buffer lie: what matrix instructions and copy engines
/// ask for. One form for a buffer, from all its uses.
class SharedForms {
 public:
  /// Remembers that the operand of a matrix instruction is stored so; what is against it, or "".
  /// `first`: set where nothing was demanded of the buffer before.
  std::string demand(const Buffer& buffer, const SharedOperand& form, bool& first);
  void forget(const Buffer& buffer) { demands_.erase(buffer.name); }
  /// Remembers that an instruction reads the operand best so, and well however it lies.
  void prefer(const Buffer& buffer, const SharedOperand& form);
  /// The buffer as it will lie.
  Buffer formed(const Buffer& buffer) const;
  int64_t staged_bytes = 0;  // of operands that go from fragments through shared memory

 private:
  std::unordered_map<Symbol, SharedOperand> demands_, preferred_;
};

/// The matrix instruction for a product, or why there is none.
struct MatrixChoice {
  const MatrixInstruction* row = nullptr;
  MatrixShape inst;
  WarpGrid warps;
  // Where an operand is in a fragment that the instruction can't read: how its copy in shared
  // memory lies.
  std::optional<SharedOperand> staged_a, staged_b;
  bool wide_sums = false;  // C is narrower than the instruction sums: through a fragment of f32
  std::string refused;     // "wgmma: C is a view"; of the target's rows before it, or of all
};
/// `threads`: that run the product together. Demands of the chosen row are in `forms` afterwards.
MatrixChoice choose_matrix(const Gemm& gemm, int64_t threads, const Target& target,
                           const UnitOptions& options, const KernelMemory& memory,
                           SharedForms& forms);

/// Whether a copy from a tensor to shared memory can be made by the tensor engine: `map` is what it
/// needs, without a name; else `refused` says why not.
struct EngineChoice {
  TensorMap map;
  std::vector<size_t> order;  // of the tensor's dimensions in the map, innermost first
  std::string refused;
};
EngineChoice choose_engine(const Copy& copy, const Target& target, const KernelMemory& memory,
                           const SharedForms& forms, const Facts& facts);
/// Whether the target's engine can exchange pieces so, with boxes of `inner` bytes a row: 32, 64 or
/// 128 bytes of 128-byte lines (CUtensorMapSwizzle), or all of 256-byte lines.
bool engine_swizzles(const Target& target, const Swizzle& swizzle, int64_t inner);
/// Writes the tensor's dimensions into `map`, in this order, innermost first (empty: as they lie);
/// or says why the engine can't have it.
std::string describe_tensor(const Buffer& tensor, const Target& target, const Facts& facts,
                            TensorMap& map, std::vector<size_t> order = {});
/// Why single threads can't make the copy asynchronously; "" where they can.
std::string not_asynchronous(const Copy& copy, const Target& target, const KernelMemory& memory);

/// T.tma_copy, T.async_copy: the program says by what the copy is waited for.
bool by_hand(const Copy& copy);

}  // namespace tilelab
