// SPDX-License-Identifier: Apache-2.0
// The host side of generated code: tensor arguments, checks, tensor maps, launches. For mcc, for
// nvcc, for the host's cores, where a launch is a call, with TL_DRIVER for an exported library, which
// calls the driver, and, with TL_EMU, for the emulation, which receives launches through a hook.
#pragma once

#if defined(TL_DRIVER)
#include "tl_driver.h"
#elif defined(TL_EMU) || defined(TL_CPU)
#include <stdlib.h>
#include <string.h>
typedef void* tl_stream;
#elif defined(__MUSACC__) || defined(__MUSA__)
typedef musaStream_t tl_stream;
#define TL_RT(name) musa##name
#else
#include <cuda.h>
typedef cudaStream_t tl_stream;
#define TL_RT(name) cuda##name
#endif
#include <stdio.h>

/// Element types: code (0 int, 1 uint, 2 float, 4 bfloat, 6 bool, as DLPack numbers them; 7 e4m3,
/// 8 e5m2, 9 e4m3fnuz, 10 e5m2fnuz, 11 e8m0) and bits.
struct tl_dtype {
  unsigned char code, bits;
};
/// A tensor argument; strides in elements.
struct tl_tensor {
  void* data;
  tl_dtype dtype;
  int rank;
  long long shape[8], strides[8];
};

namespace tl_host {

struct tl_dims {
  int n;
  long long v[8];
  template <class... T>
  tl_dims(T... values) : n(sizeof...(T)), v{(long long)values...} {}
};

template <class T>
T tl_tdiv(T a, T b) {
  return b == 0 ? 0 : a / b;
}
template <class T>
T tl_tmod(T a, T b) {
  return b == 0 ? 0 : a % b;
}
template <class T>
T tl_floordiv(T a, T b) {
  return b == 0 ? 0 : a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
template <class T>
T tl_floormod(T a, T b) {
  return b == 0 ? 0 : a - tl_floordiv(a, b) * b;
}
template <class T>
T tl_ceildiv(T a, T b) {
  return tl_floordiv(a, b) + (tl_floormod(a, b) != 0);
}
template <class T>
T tl_min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T tl_max(T a, T b) {
  return a < b ? b : a;
}

/// The error in an argument, or null. The text is valid until the thread's next call.
inline const char* tl_check(const tl_tensor* t, const char* name, tl_dtype dtype, tl_dims shape,
                            tl_dims strides, int align) {
  static thread_local char text[160];
  if (t->rank != shape.n) {
    snprintf(text, sizeof text, "%s has %d dimensions, expected %d", name, t->rank, shape.n);
    return text;
  }
  if (t->dtype.code != dtype.code || t->dtype.bits != dtype.bits) {
    snprintf(text, sizeof text, "%s has another dtype", name);
    return text;
  }
  bool empty = false;  // strides of an empty tensor are arbitrary
  for (int i = 0; i < shape.n; ++i) empty = empty || t->shape[i] == 0;
  for (int i = 0; i < shape.n; ++i) {
    if (t->shape[i] != shape.v[i]) {
      snprintf(text, sizeof text, "%s: dimension %d is %lld, expected %lld", name, i, t->shape[i],
               shape.v[i]);
      return text;
    }
    if (t->shape[i] > 1 && !empty && t->strides[i] != strides.v[i]) {
      snprintf(text, sizeof text, "%s: stride %d is %lld, expected %lld", name, i, t->strides[i],
               strides.v[i]);
      return text;
    }
  }
  if ((unsigned long long)t->data % align) {
    snprintf(text, sizeof text, "%s is not aligned to %d bytes", name, align);
    return text;
  }
  return nullptr;
}

#if defined(TL_DRIVER)
// TL_LAUNCH is in tl_driver.h.
#elif defined(TL_EMU)
/// Set by the emulation before a host function is called.
typedef const char* (*tl_launch_hook)(const char* kernel, tl_emu_dim grid, tl_emu_dim block,
                                      unsigned smem, void** args);
extern "C" __attribute__((visibility("default"))) tl_launch_hook tl_emu_launch_hook;
tl_launch_hook tl_emu_launch_hook = nullptr;
template <class... P, class... A>
const char* tl_launch_emulated(const char* name, void (*)(P...), tl_emu_dim grid, unsigned threads,
                               unsigned smem, A... args) {
  if (!grid.x || !grid.y || !grid.z) return nullptr;
  struct Copy {
    // Each argument in the parameter's type, so that the kernel can take its address.
    static const char* run(const char* name, tl_emu_dim grid, unsigned threads, unsigned smem,
                           P... p) {
      void* pointers[] = {(void*)&p..., nullptr};
      return tl_emu_launch_hook(name, grid, {threads, 1, 1}, smem, pointers);
    }
  };
  return Copy::run(name, grid, threads, smem, (P)args...);
}
#define TL_LAUNCH(kernel, gx, gy, gz, threads, smem, stream, ...)                              \
  if (const char* tl_error =                                                                   \
          tl_launch_emulated(#kernel, kernel, tl_emu_dim{(unsigned)(gx), (unsigned)(gy),       \
                                                         (unsigned)(gz)},                      \
                             threads, smem, __VA_ARGS__))                                      \
  return tl_error
#elif defined(TL_CPU)
#define TL_LAUNCH(kernel, gx, gy, gz, threads, smem, stream, ...) \
  do {                                                            \
    (void)stream;                                                 \
    kernel(__VA_ARGS__);                                          \
  } while (0)
#else
#define TL_LAUNCH(kernel, gx, gy, gz, threads, smem, stream, ...)                              \
  do {                                                                                         \
    const dim3 tl_grid((unsigned)(gx), (unsigned)(gy), (unsigned)(gz));                        \
    if (tl_grid.x && tl_grid.y && tl_grid.z) {                                                 \
      TL_RT(FuncSetAttribute)                                                                  \
      ((const void*)kernel, TL_RT(FuncAttributeMaxDynamicSharedMemorySize), smem);             \
      kernel<<<tl_grid, threads, smem, stream>>>(__VA_ARGS__);                                 \
      const auto tl_status = TL_RT(GetLastError)();                                            \
      if (tl_status != 0) return TL_RT(GetErrorString)(tl_status);                             \
    }                                                                                          \
  } while (0)
#endif

/// Global memory of one call.
class tl_workspace {
 public:
  tl_workspace(unsigned long long bytes, bool zeroed, tl_stream stream)
      : bytes_(bytes), stream_(stream) {
#if defined(TL_DRIVER)
    data_ = tl_allocate(bytes, zeroed, stream);
#elif defined(TL_EMU) || defined(TL_CPU)
    data_ = malloc(bytes);
    if (data_) memset(data_, zeroed ? 0 : 0xff, bytes);
#else
    TL_RT(MallocAsync)(&data_, bytes, stream);
    if (zeroed) TL_RT(MemsetAsync)(data_, 0, bytes, stream);
#endif
  }
  ~tl_workspace() {
#if defined(TL_DRIVER)
    tl_release(data_, stream_);
#elif defined(TL_EMU) || defined(TL_CPU)
    free(data_);
#else
    TL_RT(FreeAsync)(data_, stream_);
#endif
  }
  tl_workspace(const tl_workspace&) = delete;
  void* data() const { return data_; }
  bool failed() const { return bytes_ != 0 && !data_; }

 private:
  void* data_ = nullptr;
  unsigned long long bytes_;
  tl_stream stream_;
};

#if defined(TL_DRIVER)
/// Extents in elements and strides in bytes, without the innermost, as drivers take them.
struct tl_map_dims {
  unsigned long long extent[5], pitch[5] = {0};
  tl_map_dims(const tl_dims& dims, const tl_dims& strides) {
    for (int i = 0; i < dims.n; ++i) {
      extent[i] = (unsigned long long)dims.v[i];
      if (i) pitch[i - 1] = (unsigned long long)strides.v[i - 1];
    }
  }
};
/// Calls the driver's encoder with arguments of the types P.
template <class... P>
const char* tl_encode(P... arguments) {
  const char* wrong;
  const tl_driver* driver = tl_open(&wrong);
  if (!driver) return wrong;
  if (!driver->encode) return "the driver cannot create tensor maps";
  const int status = ((int (*)(P...))driver->encode)(arguments...);
  return status == 0 ? nullptr : tl_status_text(*driver, status);
}
/// CUDA's tensor maps, innermost dimension first; the box is in elements. `swizzle`: 0 none, 1 32 B,
/// 2 64 B, 3 128 B.
inline const char* tl_describe(tl_map* map, const tl_tensor* t, int type, tl_dims dims,
                               tl_dims strides, tl_dims box, int swizzle) {
  const tl_map_dims given(dims, strides);
  unsigned tile[5];
  const unsigned ones[5] = {1, 1, 1, 1, 1};
  for (int i = 0; i < box.n; ++i) tile[i] = (unsigned)box.v[i];
  constexpr int kNoInterleave = 0, kPromote256Bytes = 3, kFillZeros = 0;
  return tl_encode<void*, int, unsigned, void*, const unsigned long long*,
                   const unsigned long long*, const unsigned*, const unsigned*, int, int, int, int>(
      map, type, (unsigned)dims.n, t->data, given.extent, given.pitch, tile, ones, kNoInterleave,
      swizzle, kPromote256Bytes, kFillZeros);
}
/// MUSA's: the box and the swizzle are operands of the instruction.
inline const char* tl_describe(tl_map* map, const tl_tensor* t, int type, tl_dims dims,
                               tl_dims strides) {
  const tl_map_dims given(dims, strides);
  return tl_encode<void*, int, unsigned, void*, const unsigned long long*,
                   const unsigned long long*, int, unsigned long long>(
      map, type, (unsigned)dims.n, t->data, given.extent, given.pitch, 0, 0);
}
#elif defined(TL_MUSA)
/// A tensor map: dims in elements, strides in bytes without the innermost; both innermost first.
/// The box and the swizzle are operands of the instruction.
inline const char* tl_describe(tl_map* map, const tl_tensor* t, int type, tl_dims dims,
                               tl_dims strides) {
#if defined(TL_EMU)
  memset(map, 0, sizeof *map);
  map->type = (unsigned)type;
  map->rank = (unsigned)dims.n;
  map->base = (unsigned char*)t->data;
  for (int i = 0; i < dims.n; ++i) {
    map->dim[i] = (unsigned long long)dims.v[i];
    map->stride[i] = i ? (unsigned long long)strides.v[i - 1] : t->dtype.bits / 8u;
  }
  return nullptr;
#else
  muuint64_t extent[5], pitch[5] = {0};
  for (int i = 0; i < dims.n; ++i) {
    extent[i] = (muuint64_t)dims.v[i];
    if (i) pitch[i - 1] = (muuint64_t)strides.v[i - 1];
  }
  const MUresult status = muTensorDescriptorEncode(
      map, (MUtensorDescriptorDataType)type, (muuint32_t)dims.n, t->data, extent, pitch,
      (MUtensorDescriptorInterleave)0, 0);
  return status == MUSA_SUCCESS ? nullptr : "muTensorDescriptorEncode failed";
#endif
}
#elif defined(__CUDACC__)
/// The driver's function, found at run time, so that nothing links against the driver.
inline decltype(&cuTensorMapEncodeTiled) tl_encode_tiled() {
  static void* function = nullptr;
  if (!function) {
    cudaDriverEntryPointQueryResult found;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                         cudaEnableDefault, &found) != cudaSuccess)
      function = nullptr;
  }
  return (decltype(&cuTensorMapEncodeTiled))function;
}
/// A tensor map with its box (elements) and swizzle (0 none, 1 32 B, 2 64 B, 3 128 B).
inline const char* tl_describe(tl_map* map, const tl_tensor* t, int type, tl_dims dims,
                               tl_dims strides, tl_dims box, int swizzle) {
  cuuint64_t extent[5], pitch[5] = {0};
  cuuint32_t tile[5], ones[5] = {1, 1, 1, 1, 1};
  for (int i = 0; i < dims.n; ++i) {
    extent[i] = (cuuint64_t)dims.v[i];
    tile[i] = (cuuint32_t)box.v[i];
    if (i) pitch[i - 1] = (cuuint64_t)strides.v[i - 1];
  }
  const auto encode = tl_encode_tiled();
  if (!encode) return "the driver has no cuTensorMapEncodeTiled";
  const CUresult status = encode(
      (CUtensorMap*)map, (CUtensorMapDataType)type, (cuuint32_t)dims.n, t->data, extent, pitch,
      tile, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)swizzle,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return status == CUDA_SUCCESS ? nullptr : "cuTensorMapEncodeTiled failed";
}
#endif

}  // namespace tl_host
