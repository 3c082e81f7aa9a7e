// SPDX-License-Identifier: Apache-2.0
// One kernel through the whole house, with every promise of docs/ir.md checked on the way. A C
// interface: tests/kernels/run.py loads the library with ctypes, so the package is not part of it.
#pragma once

#include <cstdint>

extern "C" {

/// A tensor (`data`, row-major unless it has `strides`) or a scalar (`data` null, value in `bits`).
struct tl_check_argument {
  const char* dtype;
  void* data;
  int64_t rank;
  const int64_t* shape;
  uint64_t bits;
  int32_t output;  // poisoned before every run; the result of the last one is left in `data`
  const int64_t* strides;  // in elements; null: row-major
};

struct tl_check_options {
  const char* target;
  const char* tag;  // kernels get names that start with it
  double slack;     // absolute difference allowed across a pass that reassociates
  double ulps;      // and relative, in units of the output's eps
  uint64_t seed;    // of the random schedules
};

/// Takes IR text at tile level through all passes. After every pass: the text is a fixpoint and
/// reads back equal, the passes resumed from it give the same C; the simulator (every watcher on)
/// finds nothing and computes the bits of the snapshot before. The function is kept for the next
/// tl_check_emitted. Returns the problem, or ""; valid until the next call.
const char* tl_check_kernel(const char* text, const tl_check_options* options,
                            const tl_check_argument* arguments, int32_t count);

/// The rule for a pass that reassociates, on two arrays of one argument: what differs, or "".
const char* tl_check_difference(const tl_check_options* options, const tl_check_argument* one,
                                const void* other);

/// The C of all kept functions of `target`: L0, L1, and L2 held against the simulator. Forgets
/// them.
const char* tl_check_emitted(const char* target);

/// figures[5]: simulations; passes whose result was equal to the bit; passes held to a tolerance;
/// texts; runs of emitted C.
void tl_check_counts(int64_t* figures);
}
