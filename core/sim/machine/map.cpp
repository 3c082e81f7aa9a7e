// SPDX-License-Identifier: Apache-2.0
#include "core/sim/machine/map.h"

#include <algorithm>

namespace tilelab::sim {
namespace {

/// Advances the outer coordinates (1..rank) of a position in the box; false after the last.
bool next(Coords& position, const Coords& box, int rank) {
  for (int d = 1; d < rank; ++d) {
    if (++position[d] < box[d]) return true;
    position[d] = 0;
  }
  return false;
}

/// The elements of a row along the innermost dimension that are in bounds: [lo, hi) relative to the
/// box.
struct Inside {
  int64_t lo, hi;
};

Inside inside_of_row(const MapView& map, const Coords& at, const Coords& box, const Coords& pos) {
  for (int d = 1; d < map.rank; ++d) {
    int64_t x = at[d] + pos[d];
    if (x < 0 || x >= map.dims[d]) return {0, 0};
  }
  int64_t lo = std::clamp<int64_t>(-at[0], 0, box[0]);
  int64_t hi = std::clamp<int64_t>(map.dims[0] - at[0], lo, box[0]);
  return {lo, hi};
}

}  // namespace

void for_each_run(const MapView& map, const Coords& at, const Coords& box,
                  FunctionRef<void(int64_t, int64_t, int64_t)> run) {
  const int64_t e = map.elem_bytes;
  Coords pos{};
  int64_t offset = 0;
  do {
    Inside in = inside_of_row(map, at, box, pos);
    int64_t row = at[0] * map.strides[0];
    for (int d = 1; d < map.rank; ++d) row += (at[d] + pos[d]) * map.strides[d];
    if (in.lo > 0) run(offset, -1, in.lo * e);
    if (in.hi > in.lo) {
      if (map.strides[0] == e) {
        run(offset + in.lo * e, row + in.lo * e, (in.hi - in.lo) * e);
      } else {
        for (int64_t i = in.lo; i < in.hi; ++i) run(offset + i * e, row + i * map.strides[0], e);
      }
    }
    if (in.hi < box[0]) run(offset + in.hi * e, -1, (box[0] - in.hi) * e);
    offset += box[0] * e;
  } while (next(pos, box, map.rank));
}

bool map_fits(const MapView& map) {
  int64_t last = map.elem_bytes;
  for (int d = 0; d < map.rank; ++d) {
    if (map.dims[d] <= 0) return true;  // empty
    if (map.strides[d] < 0) return false;
    last += (map.dims[d] - 1) * map.strides[d];
  }
  return last <= map.bytes;
}

int64_t box_bytes(const MapView& map, const Coords& box) {
  int64_t n = map.elem_bytes;
  for (int d = 0; d < map.rank; ++d) n *= box[d];
  return n;
}

}  // namespace tilelab::sim
