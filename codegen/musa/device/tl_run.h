// SPDX-License-Identifier: Apache-2.0
// The host program of an exported kernel: reads inputs from files, poisons outputs, compares
// results with expected ones. For mcc, and, with TL_EMU, for the emulation, whose device is the
// host.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace tl_run {

using tl_host::tl_dims;

/// The tolerance of an element: |x - want| <= relative |want| + absolute.
struct tolerance {
  double relative, absolute;
};

#ifdef TL_EMU
inline void* allocate(size_t bytes) { return aligned_alloc(256, (bytes + 511) / 256 * 256); }
inline void copy(void* to, const void* from, size_t bytes, bool) { memcpy(to, from, bytes); }
inline const char* wait() { return nullptr; }
#else
inline void stop(musaError_t status, const char* what) {
  if (status == musaSuccess) return;
  printf("FAULT, %s: %s\n", what, musaGetErrorString(status));
  exit(1);
}
inline void* allocate(size_t bytes) {
  void* at = nullptr;
  stop(musaMalloc(&at, bytes ? bytes : 1), "musaMalloc");
  return at;
}
inline void copy(void* to, const void* from, size_t bytes, bool in) {
  stop(musaMemcpy(to, from, bytes, in ? musaMemcpyHostToDevice : musaMemcpyDeviceToHost),
       "musaMemcpy");
}
inline const char* wait() {
  const musaError_t status = musaDeviceSynchronize();
  return status == musaSuccess ? nullptr : musaGetErrorString(status);
}
#endif

/// A floating-point number of a format; e4m3 has no infinity.
inline double number(unsigned long long bits, int exponent_bits, int mantissa_bits, bool infinite) {
  const unsigned long long mantissa = bits & ((1ull << mantissa_bits) - 1);
  const int top = (1 << exponent_bits) - 1, exponent = (int)(bits >> mantissa_bits) & top;
  const double sign = bits >> (exponent_bits + mantissa_bits) & 1 ? -1.0 : 1.0;
  if (exponent == top && (infinite || mantissa == (1ull << mantissa_bits) - 1))
    return mantissa ? __builtin_nan("") : sign * __builtin_inf();
  const double fraction = (double)mantissa / (double)(1ull << mantissa_bits);
  const int power = (exponent ? exponent : 1) - (top >> 1);
  return sign * __builtin_ldexp(exponent ? 1 + fraction : fraction, power);
}

/// 2^(code - 127).
inline double scale(unsigned long long bits) {
  return bits == 0xff ? __builtin_nan("") : __builtin_ldexp(1.0, (int)bits - 127);
}

/// The same for a format with NaN in place of -0 and no other special values: its exponent bias is
/// larger by one.
inline double number_fnuz(unsigned long long bits, int exponent_bits, int mantissa_bits) {
  if (bits == 0x80) return __builtin_nan("");
  const unsigned long long half = 1ull << mantissa_bits, below = bits & 0x7f;
  const int exponent = (int)(below >> mantissa_bits);
  const double fraction = (double)(below & (half - 1)) / (double)half;
  const int power = (exponent ? exponent : 1) - (1 << (exponent_bits - 1));
  return (bits >> 7 ? -1.0 : 1.0) * __builtin_ldexp(exponent ? 1 + fraction : fraction, power);
}

inline bool is_float(tl_dtype t) {
  return t.code == 2 || t.code == 4 || (t.code >= 7 && t.code <= 11);
}

inline double value(tl_dtype t, const unsigned char* at) {
  unsigned long long bits = 0;
  memcpy(&bits, at, t.bits / 8u);
  if (t.code == 4) return number(bits, 8, 7, true);
  if (t.code == 7) return number(bits, 4, 3, false);
  if (t.code == 8) return number(bits, 5, 2, true);
  if (t.code == 9) return number_fnuz(bits, 4, 3);
  if (t.code == 10) return number_fnuz(bits, 5, 2);
  if (t.code == 11) return scale(bits);
  if (t.bits == 16) return number(bits, 5, 10, true);
  return t.bits == 32 ? number(bits, 8, 23, true) : number(bits, 11, 52, true);
}

/// A scalar parameter, from its bits.
template <class T>
T scalar(unsigned long long bits) {
  T out;
  memcpy(&out, &bits, sizeof out);
  return out;
}

class program {
 public:
  program(const char* kernel, int argc, char** argv)
      : kernel_(kernel), directory_(argc > 1 ? argv[1] : "data") {}

  /// A tensor; `strides` in elements, `bytes` from its first to the end of its last. Its contents
  /// before the call are read from a file, or poisoned.
  const tl_tensor* tensor(const char* name, tl_dtype dtype, tl_dims shape, tl_dims strides,
                          size_t bytes, bool poisoned) {
    item& made = items_[count_++];
    made.name = name;
    made.bytes = bytes;
    tl_tensor& t = made.tensor;
    t.data = allocate(bytes);
    t.dtype = dtype;
    t.rank = shape.n;
    for (int i = 0; i < shape.n; ++i) t.shape[i] = shape.v[i], t.strides[i] = strides.v[i];
    unsigned char* start = (unsigned char*)malloc(bytes + 1);
    if (poisoned)
      memset(start, 0xff, bytes);
    else
      read(name, "in", start, bytes);
    copy(t.data, start, bytes, true);
    free(start);
    return &t;
  }
  /// The same for a tensor whose contents are compared after the call.
  const tl_tensor* result(const char* name, tl_dtype dtype, tl_dims shape, tl_dims strides,
                          size_t bytes, bool poisoned, tolerance allowed) {
    const tl_tensor* made = tensor(name, dtype, shape, strides, bytes, poisoned);
    items_[count_ - 1].compared = true;
    items_[count_ - 1].allowed = allowed;
    return made;
  }
  /// The buffer for prints and asserts of the kernel.
  tl_events* events() {
    const unsigned slots = 1024;
    events_ = (tl_events*)allocate(sizeof(tl_events) + slots * sizeof(tl_event));
    tl_events empty = {};
    empty.capacity = slots;
    copy(events_, &empty, sizeof empty, true);
    return events_;
  }
  tl_stream stream() const { return nullptr; }

  /// Prints one line about the call, whose error is `wrong`; returns the program's exit status.
  int finish(const char* wrong) {
    printf("%s: ", kernel_);
    if (!wrong) wrong = wait();
    if (wrong) return printf("FAULT, %s\n", wrong), 1;
    if (events_) {
      tl_events head;
      copy(&head, events_, sizeof head, false);
      if (head.failed) return printf("WRONG, %u assertions failed\n", head.failed), 1;
    }
    long long elements = 0;
    worst_ = 0;
    for (int i = 0; i < count_; ++i)
      if (items_[i].compared && !is_right(items_[i], &elements)) return 1;
    printf("right, %lld elements, %.2f of the tolerance\n", elements, worst_);
    return 0;
  }

 private:
  struct item {
    const char* name;
    tl_tensor tensor;
    size_t bytes;
    bool compared;
    tolerance allowed;
  };

  /// DIRECTORY/KERNEL.NAME.WHAT, which must have that size.
  void read(const char* name, const char* what, void* to, size_t bytes) const {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.%s.%s", directory_, kernel_, name, what);
    FILE* file = fopen(path, "rb");
    if (!file || fread(to, 1, bytes, file) != bytes || fgetc(file) != EOF) {
      printf("%s: FAULT, %s can't be read or has another size\n", kernel_, path);
      exit(1);
    }
    fclose(file);
  }

  /// Expected values: a double per floating-point element, otherwise the element itself; row-major.
  bool is_right(const item& it, long long* elements) {
    const tl_tensor& t = it.tensor;
    const size_t size = t.dtype.bits / 8u, expected = is_float(t.dtype) ? sizeof(double) : size;
    long long count = 1, wrong = 0, first = -1;
    for (int i = 0; i < t.rank; ++i) count *= t.shape[i];
    unsigned char* want = (unsigned char*)malloc((size_t)count * expected + 1);
    unsigned char* got = (unsigned char*)malloc(it.bytes + 1);
    read(it.name, "want", want, (size_t)count * expected);
    copy(got, t.data, it.bytes, false);
    for (long long i = 0; i < count; ++i) {
      const unsigned char* at = got + place(t, i) * (long long)size;
      if (near_enough(it, at, want + (size_t)i * expected)) continue;
      if (wrong++ == 0) first = i;
    }
    *elements += count;
    if (wrong) {
      printf("WRONG, %s: %lld of %lld elements, the first is number %lld", it.name, wrong, count,
             first);
      if (is_float(t.dtype)) {
        double x;
        memcpy(&x, want + (size_t)first * expected, sizeof x);
        printf(": %g, expected %g", value(t.dtype, got + place(t, first) * (long long)size), x);
      }
      printf("\n");
    }
    free(want);
    free(got);
    return wrong == 0;
  }

  static long long place(const tl_tensor& t, long long index) {
    long long at = 0;
    for (int i = t.rank; i-- > 0; index /= t.shape[i]) at += index % t.shape[i] * t.strides[i];
    return at;
  }

  bool near_enough(const item& it, const unsigned char* got, const unsigned char* want) {
    if (!is_float(it.tensor.dtype)) return memcmp(got, want, it.tensor.dtype.bits / 8u) == 0;
    double expected;
    memcpy(&expected, want, sizeof expected);
    const double x = value(it.tensor.dtype, got);
    if (x == expected || (x != x && expected != expected)) return true;
    const double off = x < expected ? expected - x : x - expected;
    const double size = expected < 0 ? -expected : expected;
    const double allowed = it.allowed.relative * size + it.allowed.absolute;
    if (!(off <= allowed)) return false;
    if (off > worst_ * allowed) worst_ = off / allowed;
    return true;
  }

  const char *kernel_, *directory_;
  item items_[64] = {};
  int count_ = 0;
  tl_events* events_ = nullptr;
  double worst_ = 0;
};

}  // namespace tl_run
