// SPDX-License-Identifier: Apache-2.0
// Boxes of a block's memory that tile operations read and write as a whole.
#pragma once

#include "core/sim/tile/run.h"

namespace tilelab::sim {

/// A box of memory with a constant origin.
struct ResolvedBox {
  const TileMemory* memory = nullptr;
  const TileBox* box = nullptr;
  uint8_t* base = nullptr;
  int32_t number = 0;
  std::vector<int64_t> lo;
  int64_t bytes() const { return elem_bytes(memory->elem); }
  int64_t extent(size_t d) const { return box->dims[d].extent; }
  uint8_t* origin() const { return base + first() * bytes(); }
  int64_t first() const;  // offset of its corner, in elements
};
ResolvedBox resolve(TileBlock& block, TileRunner& runner, const CallSite& site, const TileBox& box);
BoxPart whole(const ResolvedBox& region);
/// The position of a part of one element.
Position first_of(const BoxPart& part);
/// The part of a copy's source that is copied to the element at `at` of its target.
BoxPart same_place(const ResolvedBox& target, const ResolvedBox& source, const Position& at);
/// The offset (elements) of a position; nullopt if it is out of bounds of the memory.
std::optional<int64_t> offset_of(const ResolvedBox& region, const Position& at);
/// Calls f(position) for each position of a part, row-major, until it returns false.
template <class F> void each_position(const BoxPart& part, F f) {
  Position at = first_of(part);
  for (const auto& [lo, hi] : part)
    if (lo >= hi) return;
  while (f(at)) {
    size_t d = part.size();
    while (d > 0 && ++at[d - 1] == part[d - 1].second) --d, at[d] = part[d].first;
    if (d == 0) return;
  }
}
/// The position in the box of the element at an offset of the memory; nullopt: it is not in it.
std::optional<Position> position_in(const ResolvedBox& region, int64_t offset);
/// "[4, 7]" of an element of a memory, by its offset in elements.
std::string element_text(const TileMemory& memory, int64_t offset);
/// Whether the box is in bounds; otherwise reports a finding in which it is read or written (or
/// `verb`).
bool inside(TileBlock& block, const Span& span, const ResolvedBox& region,
            const char* verb = nullptr);
/// Whether its dimensions of extent 1 are in bounds.
bool points_inside(const ResolvedBox& region);
/// Whether all of it is.
bool all_inside(const ResolvedBox& region);
/// The dimensions of other extents.
std::vector<size_t> long_dims(const ResolvedBox& region);
/// The in-bounds part of dimension `d` of the box: [lo, hi) within its extent.
std::pair<int64_t, int64_t> visible(const ResolvedBox& region, size_t d);
/// Offsets (elements, from the box's origin) of all positions along `dims`, row-major.
std::vector<int64_t> positions(const ResolvedBox& region, const std::vector<size_t>& dims);
/// Calls f(offset in elements) for each in-bounds element along `dims` (positions in the box),
/// row-major.
void for_each_offset(const ResolvedBox& region, const std::vector<size_t>& dims,
                     FunctionRef<void(int64_t)> f);
/// `n` elements of a copy along its innermost dimension: offsets and strides in elements.
struct CopyRow {
  int64_t to, from, n, to_stride, from_stride;
};
/// Calls f(row) for each row of a copy between boxes in bounds, row-major, until it returns false.
void for_each_row(const ResolvedBox& to, const ResolvedBox& from,
                  FunctionRef<bool(const CopyRow&)> f);
/// Calls f(offset, n, stride), in elements, for runs that cover the in-bounds part of the box,
/// row-major.
void for_each_run(const ResolvedBox& region, FunctionRef<void(int64_t, int64_t, int64_t)> f);
/// Reports a box to the tracer. `overwrites`: the operation ignores its old contents, although such
/// operations may read them. `late`: the access takes place when the event completes.
void trace_box(TileBlock& block, const ResolvedBox& region, bool overwrites, bool late = false);

/// to <- from, element by element along the extents other than 1; casts. Out-of-bounds elements of
/// a global memory read as its safe value and are not written.
void copy_box(const ResolvedBox& to, const ResolvedBox& from);
/// Fills the box with the value with these bits, of its kind.
void fill_box(const ResolvedBox& to, const uint8_t* value);

}  // namespace tilelab::sim
