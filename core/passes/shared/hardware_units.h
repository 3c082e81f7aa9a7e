// SPDX-License-Identifier: Apache-2.0
// The choice between the plain roads (loads and stores, multiply-adds, loops in order) and the
// machine's own units: matrix instructions, copy engines, rings and roles (docs/adr/0017).
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/analysis/effects.h"
#include "core/analysis/ranges.h"
#include "core/ir/traverse.h"
#include "core/layout/shared_operand.h"
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
  /// What is under the name: a buffer, or a view of a tensor or of shared memory as a buffer of its
  /// own. Null of other views, of those that seen_as does not know, and of those whose extents the
  /// kernel computes.
  const Buffer* seen(Symbol name) const;
  /// Why there is none under the name of a view, and what to do.
  std::string why_unseen(Symbol name) const;
  /// The buffer behind a name, through views; null where it is none.
  const Buffer* behind(Symbol name) const;
  /// Extents of a buffer or view, as far as they are known: nothing else.
  std::optional<Index> shape_of(Symbol name) const;
  /// The kernel's views of the buffer.
  const std::vector<const View*>& seen_through(Symbol buffer) const;
  bool escapes(Symbol name) const { return handed_over_.count(views.base_of(name)) != 0; }
  /// Whether the kernel has a view of the buffer, or hands it to an intrinsic.
  bool aliased_or_escaping(Symbol buffer) const {
    return escapes(buffer) || !seen_through(buffer).empty();
  }
  bool read(Symbol name) const { return touched_.read.count(views.base_of(name)) != 0; }
  /// Whether the fragment is a product's left factor, or what such a factor is computed from.
  bool is_left(Symbol fragment) const { return left_.count(views.base_of(fragment)) != 0; }
  bool written(Symbol name) const { return touched_.written.count(views.base_of(name)) != 0; }

  BufferTable buffers;
  BufferViews views;
  std::unordered_map<Symbol, std::vector<const Gemm*>> products;  // by what they sum in
  int64_t shared_bytes = 0;                                       // of all that it declares

 private:
  Touched touched_;
  std::unordered_set<Symbol> left_, handed_over_;
  std::unordered_map<Symbol, std::vector<const View*>> seen_through_;  // by the buffer behind them
  std::unordered_map<Symbol, Buffer> seen_as_;                         // by view
};

/// How all of a shared buffer lies.
struct SharedForm {
  Layout layout;
  Swizzle swizzle;
};

/// How the shared buffers of a kernel lie: what matrix instructions and copy engines ask for. One
/// form for a buffer, from all its uses.
class SharedForms {
 public:
  /// Remembers that operands of a matrix instruction are stored in one of these ways, the best
  /// first; false, with nothing done, if none of them suits what was demanded before.
  bool demand(const Buffer& buffer, const std::vector<SharedForm>& forms);
  /// Remembers that an instruction reads the operand best so, and well however it lies.
  void prefer(const Buffer& buffer, const SharedForm& form);
  /// The buffer as it will lie.
  Buffer formed(const Buffer& buffer) const;
  /// Bytes of shared memory that forms and staged operands take beside what is declared.
  int64_t more_bytes() const;
  int64_t staged_bytes = 0;  // of operands that go from fragments through shared memory

 private:
  struct Demand {
    const Buffer* buffer;
    std::vector<SharedForm> forms;  // that all uses so far can have
  };
  std::unordered_map<Symbol, Demand> demands_;
  std::unordered_map<Symbol, SharedForm> preferred_;
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
  std::string refused;     // "wgmma: C is no fragment"; of the target's rows before it, or of all
};
/// `threads`: that run the product together; `facts`: of its place. Demands of the chosen row are
/// in `forms` afterwards.
MatrixChoice choose_matrix(const Gemm& gemm, int64_t threads, const Target& target,
                           const UnitOptions& options, const KernelMemory& memory,
                           const RangeAnalysis& facts, SharedForms& forms);

/// Whether a copy from a tensor to shared memory can be made by the tensor engine: `map` is what it
/// needs, without a name; else `refused` says why not.
struct EngineChoice {
  TensorMap map;
  std::vector<size_t> order;  // of the tensor's dimensions in the map, innermost first
  std::string refused;
};
EngineChoice choose_engine(const Copy& copy, const Target& target, const KernelMemory& memory,
                           const SharedForms& forms, const RangeAnalysis& facts);
/// Whether the target's engine can exchange pieces so, with boxes of `inner` bytes a row: 32, 64 or
/// 128 bytes of 128-byte lines (CUtensorMapSwizzle), or all of 256-byte lines.
bool engine_swizzles(const Target& target, const Swizzle& swizzle, int64_t inner);
/// Writes the dimensions of a tensor, or of a view of one, into `map`, in this order, innermost
/// first (empty: as they lie); or says why the engine can't have it.
std::string describe_tensor(const Buffer& tensor, const KernelMemory& memory, const Target& target,
                            const RangeAnalysis& facts, TensorMap& map,
                            std::vector<size_t> order = {});
/// Why single threads can't make the copy asynchronously; "" where they can.
std::string not_asynchronous(const Copy& copy, const Target& target, const KernelMemory& memory);

/// T.tma_copy, T.async_copy: the program says by what the copy is waited for.
bool by_hand(const Copy& copy);

}  // namespace tilelab
