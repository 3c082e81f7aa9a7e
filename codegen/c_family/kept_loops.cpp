// SPDX-License-Identifier: Apache-2.0
#include "codegen/c_family/kept_loops.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/ir/build.h"
#include "core/ir/intrinsics/intrinsics.h"
#include "core/ir/regions.h"
#include "core/ir/traverse.h"

namespace tilelab::codegen {

namespace {

constexpr int64_t kTooManyCopies = 64;   // of a statement that does not profit from unrolling
constexpr int64_t kMostElements = 512;   // of an array in registers: 255, two of 16 bits in one
constexpr int64_t kFewIterations = 8;    // whose loads are in flight together
constexpr int64_t kBytesInFlight = 256;  // of a thread's loads, a quarter of its registers
constexpr int64_t kManyNodes = 4096;     // of IR, in all iterations
constexpr int64_t kUncounted = 1 << 20;  // copies; larger counts are treated alike

bool is_written_out(const For& loop) { return loop.mode != LoopMode::serial; }

/// Upper bound on the copies of a statement of the loop in the generated code, if all loops with a
/// known count are unrolled.
int64_t copies_within(const For& loop) {
  int64_t inside = 1;
  walk(*loop.body, [&](const Node& node) {
    const For* inner = as<For>(&node);
    if (inner && is_written_out(*inner)) inside = std::max(inside, copies_within(*inner));
    return !inner || !is_written_out(*inner);
  });
  return std::min(iterations(loop) * inside, kUncounted);
}

/// The buffer whose elements a node reads or writes, and its index; null for other nodes.
const Symbol* accessed(const Node& node, std::vector<Expr>& index) {
  index.clear();
  if (const Load* load = as<Load>(&node)) return index = load->index, &load->buffer;
  if (const Region* region = as<Region>(&node)) return index = lows(region->dims), &region->buffer;
  if (const Store* store = as<Store>(&node)) return index = lows(store->dims), &store->buffer;
  return nullptr;
}

/// What the body of a loop loads, and whether its iterations may be issued together.
struct LoadsOfLoop {
  LoadsOfLoop(FunctionRef<const Buffer*(Symbol)> buffers, bool few)
      : buffer_of(buffers), no_inner(few) {}

  /// `times`: iterations of loops inside of the body.
  void visit(const Node& node, int64_t times) {
    const For* inner = as<For>(&node);
    const Call* call = as<Call>(&node);
    const bool serial = inner && inner->mode == LoopMode::serial;
    plain = plain && node.kind != Kind::While && node.kind != Kind::Break &&
            !(serial && (no_inner || iterations(*inner) > kFewIterations)) &&
            !(call && info(call->intrinsic).orders());
    if (const Load* load = as<Load>(&node)) read(load->buffer, load->type, times);
    if (const Region* region = as<Region>(&node)) read(region->buffer, region->type, times);
    nodes += serial ? times * iterations(*inner) : times;
    plain = plain && nodes <= kManyNodes;
    if (!plain) return;
    if (inner && !no_inner) times *= iterations(*inner);
    for_each_child(
        node, [&](const Expr& e) { visit(*e, times); }, [&](const Stmt& s) { visit(*s, times); });
  }

  FunctionRef<const Buffer*(Symbol)> buffer_of;
  const bool no_inner;
  int64_t nodes = 0, bytes = 0;  // of tensors
  bool loads = false, plain = true;

 private:
  void read(Symbol name, const Type& type, int64_t times) {
    const Buffer* buffer = buffer_of(name);
    if (!buffer || (buffer->scope != Scope::global && buffer->scope != Scope::shared)) return;
    loads = true;
    if (buffer->scope == Scope::global) bytes += times * type.lanes * tilelab::bytes(type.dtype);
  }
};

class Arrays {
 public:
  explicit Arrays(const Kernel& kernel) : views_(views_of(*kernel.body)) {
    for (const auto& [name, view] : views_) in_memory_.insert(views_.base_of(name));
    visit_in_scope(*kernel.body);
  }

  /// Whether the loop's variable indexes arrays, all of which are in memory.
  bool chosen_in_memory(const For& loop) const {
    std::unordered_set<Symbol> derived{loop.var};
    bool chosen = false, registers = false;
    std::vector<Expr> index;
    walk(*loop.body, [&](const Node& node) {
      if (const Let* let = as<Let>(&node); let && mentions_any(*let->value, derived))
        derived.insert(let->name);
      const Symbol* buffer = accessed(node, index);
      if (!buffer || !local_.count(views_.base_of(*buffer))) return true;
      if (std::none_of(index.begin(), index.end(),
                       [&](const Expr& e) { return mentions_any(*e, derived); }))
        return true;
      (in_memory_.count(views_.base_of(*buffer)) ? chosen : registers) = true;
      return !registers;
    });
    return chosen && !registers;
  }

 private:
  /// Whether a value is constant after the enclosing loops are unrolled.
  bool is_number(const Expr& e) const {
    return !contains<Load, Region, Call>(*e) &&
           !any_of(*e, [&](const Name& name) { return !numbers_.count(name.id); });
  }

  void note(const Buffer& buffer) {
    if (buffer.scope != Scope::local) return;
    int64_t elements = 1;
    for (int64_t extent : const_shape(buffer)) elements *= extent;
    local_.insert(buffer.name);
    if (elements > kMostElements) in_memory_.insert(buffer.name);
  }

  void visit_in_scope(const Node& node) {
    std::vector<Expr> index;
    if (const Buffer* buffer = as<Buffer>(&node)) note(*buffer);
    if (const Symbol* buffer = accessed(node, index))
      if (!std::all_of(index.begin(), index.end(), [&](const Expr& e) { return is_number(e); }))
        in_memory_.insert(*buffer);
    const Let* let = as<Let>(&node);
    if (let) name_is(let->name, is_number(let->value));
    const For* loop = as<For>(&node);
    const bool around = loop && numbers_.count(loop->var);
    if (loop) name_is(loop->var, is_written_out(*loop));
    for_each_child(
        node, [&](const Expr& e) { visit_in_scope(*e); },
        [&](const Stmt& s) { visit_in_scope(*s); });
    if (loop) name_is(loop->var, around);
  }

  void name_is(Symbol name, bool number) {
    if (number)
      numbers_.insert(name);
    else
      numbers_.erase(name);
  }

  const BufferViews views_;
  std::unordered_set<Symbol> local_, in_memory_;
  std::unordered_set<Symbol> numbers_;  // names in scope at the current node
};

}  // namespace

std::optional<int64_t> known_iterations(const For& loop) {
  if (!loop.steps.empty()) return static_cast<int64_t>(loop.steps.size());
  const auto lo = int_value(loop.lo), hi = int_value(loop.hi);
  const auto step = loop.step ? int_value(loop.step) : std::optional<int64_t>(1);
  if (!lo || !hi || !step || *step == 0) return std::nullopt;
  const int64_t rest = *step > 0 ? *step - 1 : *step + 1;
  return std::max<int64_t>((*hi - *lo + rest) / *step, 0);
}

int64_t iterations(const For& loop) {
  return std::clamp<int64_t>(known_iterations(loop).value_or(1), 1, kUncounted);
}

int64_t copies_for_loads(const For& loop, FunctionRef<const Buffer*(Symbol)> buffer_of) {
  const auto lo = int_value(loop.lo), hi = int_value(loop.hi);
  if (loop.mode != LoopMode::serial || !lo || !hi || !loop.steps.empty()) return 1;
  const int64_t all = iterations(loop), copies = std::min(all, kFewIterations);
  const bool few = all <= kFewIterations;
  if (!few && all < 2 * kFewIterations) return 1;
  LoadsOfLoop body(buffer_of, few);
  body.visit(*loop.body, 1);
  if (!body.plain || body.nodes * copies > kManyNodes) return 1;
  const bool useful = few ? body.loads : body.bytes > 0 && body.bytes * copies <= kBytesInFlight;
  return useful ? copies : 1;
}

bool may_hang_compiler(const For& loop) {
  return loop.step && int_value(loop.step) == 2 && !int_value(loop.lo) && int_value(loop.hi);
}

std::unordered_set<const For*> kept_loops(const Kernel& kernel) {
  std::unordered_set<const For*> kept;
  std::vector<const For*> long_ones;
  for_each(*kernel.body, [&](const For& loop) {
    if (is_written_out(loop) && copies_within(loop) > kTooManyCopies) long_ones.push_back(&loop);
  });
  if (long_ones.empty()) return kept;
  const Arrays arrays(kernel);
  for (const For* loop : long_ones)
    if (arrays.chosen_in_memory(*loop)) kept.insert(loop);
  return kept;
}

}  // namespace tilelab::codegen
