// SPDX-License-Identifier: Apache-2.0
// Dead stores: values overwritten before they are read. Each byte records the statement that stored
// it last and the reads since then. A pair of statements is reported where loops make it a mistake
// (loop_of_dead_store).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ir/stmt.h"
#include "core/support/span.h"

namespace tilelab::sim {

class DeadStores {
 public:
  using Cell = uint16_t;  // location of the last store (0: none); flags
  /// A block begins, with this many bytes of memory; or it has ended.
  void begin_block(int64_t bytes);
  void end_block();
  /// Exchanges the state of the block's memory with that of another block.
  void exchange(std::vector<Cell>& own) { own_.swap(own); }

  /// The statement at `span` reads or stores `n` bytes from `at` on, of tensor `global` or of the
  /// block (-1). `number`: its memory of the image; `memory`: the bytes before the store.
  void read(int32_t global, int64_t at, int64_t n, const Span& span);
  void store(int32_t global, int64_t at, int64_t n, const Span& span, int32_t number,
             const uint8_t* memory);

  /// Statement `by` has overwritten what `dead` stored before any of it was read.
  struct Pair {
    Span dead, by;
    int32_t memory = 0;    // of the image
    bool changed = false;  // the values of successive iterations differ
    bool read = false;     // the last ones are read
  };
  std::vector<Pair> pairs() const;

 private:
  static constexpr Cell read_by_other = 0x8000, read_by_itself = 0x4000, place_bits = 0x3FFF;
  static constexpr int64_t page_cells = 4096;
  static constexpr size_t most_witnesses = 64;

  struct Place {
    Span span;
    bool read = false;  // by another statement
    bool used = false;  // read, and then overwritten
  };
  /// A few overwritten bytes, to compare with later values.
  struct Witness {
    const uint8_t* memory = nullptr;
    size_t n = 0;
    std::array<uint8_t, 16> bytes{};
  };
  struct Overwritten {
    int32_t memory = 0;
    bool changed = false;
    std::vector<Witness> witnesses;
  };

  Cell place(const Span& span);
  Cell* page(uint64_t key);
  /// Calls f(cells, first, n) for contiguous ranges of cells.
  template <class F> void each_stretch(int32_t global, int64_t at, int64_t n, F f);
  void overwrite(Cell before, Cell by, int32_t number, const uint8_t* memory, int64_t n);

  std::vector<Place> places_{Place{}};
  std::array<Cell, 64> recent_{};  // of places_, by a hash of their spans
  std::vector<Cell> own_;
  std::unordered_map<uint64_t, std::unique_ptr<Cell[]>> pages_;
  uint64_t last_key_ = ~uint64_t{0};
  Cell* last_page_ = nullptr;
  std::map<std::pair<Cell, Cell>, Overwritten> pairs_;
};

/// The loop of which only the last iteration has an effect, because of stores to `memory` that
/// `pair` names; null if there is none, or if it may be intended. `resets`: an accumulator is
/// reset.
const For* loop_of_dead_store(const Stmt& body, Symbol memory, bool global,
                              const DeadStores::Pair& pair, bool* resets);

}  // namespace tilelab::sim
