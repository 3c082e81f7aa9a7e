// SPDX-License-Identifier: Apache-2.0
// The program's operator new: where malloc fails, small objects come from a pool that only C++
// uses. Destructors may not fail, but some allocate (nlohmann's do), and so does reporting the
// failure. Memory that is given back to malloc does not help them: Python, which filled it, takes
// it first.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

namespace {

// Its pages take no memory before the first failure.
alignas(std::max_align_t) char memory[size_t{8} << 20];

/// Blocks of sizes that are powers of two. A word before each has its order; freed blocks are in a
/// list per order.
class Pool {
 public:
  /// A block, or nullptr if it is too large or the pool is used up.
  void* take(size_t size) {
    if (size > largest_) return nullptr;
    size_t order = 0;
    while (smallest_ << order < size) ++order;
    std::lock_guard<std::mutex> lock(mutex_);
    Block* block = freed_[order];
    if (block) {
      freed_[order] = block->next;
    } else if (sizeof(Block) + (smallest_ << order) <= sizeof memory - used_) {
      block = reinterpret_cast<Block*>(memory + used_);
      used_ += sizeof(Block) + (smallest_ << order);
    } else {
      return nullptr;
    }
    block->order = order;
    return block + 1;
  }

  /// Whether the address belongs to a block, which it gives back.
  bool give_back(void* address) {
    const auto at = reinterpret_cast<uintptr_t>(address);
    const auto first = reinterpret_cast<uintptr_t>(memory);
    if (at < first || at >= first + sizeof memory) return false;
    Block* block = static_cast<Block*>(address) - 1;
    std::lock_guard<std::mutex> lock(mutex_);
    const size_t order = block->order;
    block->next = freed_[order];
    freed_[order] = block;
    return true;
  }

 private:
  union alignas(alignof(std::max_align_t)) Block {
    size_t order;
    Block* next;
  };
  static constexpr size_t smallest_ = 32, orders_ = 12, largest_ = smallest_ << (orders_ - 1);

  std::mutex mutex_;
  std::array<Block*, orders_> freed_{};
  size_t used_ = 0;
};

constinit Pool pool;

}  // namespace

// Those of arrays and those that return nullptr call these.
void* operator new(size_t size) {
  for (;;) {
    if (void* made = std::malloc(size ? size : 1)) return made;
    if (void* made = pool.take(size)) return made;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* address) noexcept {
  if (!pool.give_back(address)) std::free(address);
}

void operator delete(void* address, size_t) noexcept { operator delete(address); }
