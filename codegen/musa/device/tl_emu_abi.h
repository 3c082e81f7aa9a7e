// SPDX-License-Identifier: Apache-2.0
// The interface between a kernel compiled for the emulation and the emulator in the host process.
// Plain C structs: the kernel's shared object links nothing.
#pragma once

struct tl_emu_dim {
  unsigned x, y, z;
};

/// Tensor descriptor of the emulation (an opaque 128-byte object on hardware): dims in elements,
/// strides in bytes, innermost first; stride[0] is the element's size.
struct alignas(64) tl_emu_map {
  unsigned type, rank;
  unsigned char* base;
  unsigned long long dim[5], stride[5];
  unsigned interleave, fill;
};

/// Collective operations of a warp's lanes, and barrier operations of a lane.
enum tl_emu_op {
  TL_EMU_SHFL, TL_EMU_SHFL_XOR, TL_EMU_SHFL_UP, TL_EMU_SHFL_DOWN, TL_EMU_ANY, TL_EMU_ALL,
  TL_EMU_BALLOT,
  TL_EMU_WARP_SYNC, TL_EMU_ARRIVE, TL_EMU_MATRIX
};
enum tl_emu_bar_op { TL_EMU_RECORD, TL_EMU_INIT, TL_EMU_EXPECT, TL_EMU_WAIT };
enum tl_emu_queue { TL_EMU_G2S, TL_EMU_MMA, TL_EMU_STORE };

/// Functions whose last digits no standard defines. The emulator uses the simulator's, so that both
/// compute the same bits; their accuracy is tested separately (tests/unit/sim/accuracy_test.cpp). The
/// names are those of C.
#define TL_EMU_FUNCTIONS1(F)                                                                     \
  F(exp) F(exp2) F(exp10) F(expm1) F(log) F(log2) F(log10) F(log1p) F(rsqrt) F(sin) F(cos) F(tan) \
  F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh) F(asinh) F(acosh) F(atanh) F(erf)
#define TL_EMU_FUNCTIONS2(F) F(pow) F(atan2) F(hypot)
enum tl_emu_function {
#define TL_EMU_NAME(name) TL_EMU_FN_##name,
  TL_EMU_FUNCTIONS1(TL_EMU_NAME) TL_EMU_FUNCTIONS2(TL_EMU_NAME)
#undef TL_EMU_NAME
};

struct tl_emu_sqmma {
  int m, n, k, type;        // shape; type code of the two operands
  unsigned desc_a, desc_b;  // start, pitch and granule fields
  int a_mn_major, b_k_major;
  int neg_a, neg_b, scale_d, sat;
  int *d;
  const int *c;
};

/// A matmul of one warp on registers: the operands of one lane. Types as for SQMMA.
struct tl_emu_mma {
  int m, n, k, type;
  int changed;      // negations and saturation
  int fmt, layout;  // layout: 0 TT, 1 TN, 2 NT, 3 NN; T is K-major of A, N of B
  int* d;
  const int *a, *b, *c;
};

/// One tile for the copy engine. bar = 0: a store.
struct tl_emu_tile {
  void* smem;
  const tl_emu_map* map;
  int rank, bar;
  int dim[5], crd[5];
  int granule, stride, line;  // codes
};

/// Filled by the emulator; `thread` and `block` are those of the running fibre.
struct tl_emu_machine {
  tl_emu_dim thread, block, block_dim, grid_dim;
  int line;  // of the kernel text, for reports and to distinguish call sites
  void (*block_sync)(tl_emu_machine*, int full);
  unsigned (*warp)(tl_emu_machine*, int op, unsigned value, int operand);
  void (*bar)(tl_emu_machine*, int op, int id, int arg);
  void (*g2s)(tl_emu_machine*, void* dst, const void* src, int bytes);
  void (*tile)(tl_emu_machine*, const tl_emu_tile*);
  void (*sqmma)(tl_emu_machine*, const tl_emu_sqmma*);
  void (*mma)(tl_emu_machine*, const tl_emu_mma*);
  void (*commit)(tl_emu_machine*, int queue);
  void (*wait)(tl_emu_machine*, int queue);
  void (*fault)(tl_emu_machine*, const char* what);
  float (*function)(int which, float x, float y);
  double (*function_wide)(int which, double x, double y);
};

struct tl_emu_kernel {
  const char* name;
  void (*run)(void** args);  // args[i] points at parameter i
};

/// The one exported object of a compiled file: `tl_emu_module_info`.
struct tl_emu_module {
  unsigned char* arena;
  unsigned arena_bytes;
  int warp_size;
  tl_emu_machine** machine;
  int kernel_count;
  const tl_emu_kernel* kernels;
};
