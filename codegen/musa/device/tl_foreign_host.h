// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA for the user's source where the CPU runs or checks it: those that generated
// code does not use, so that no other header has them.
#pragma once

TL_FN int __float_as_int(float x) { return (int)__float_as_uint(x); }
TL_FN float __int_as_float(int x) { return __uint_as_float((unsigned)x); }
TL_FN int __ffs(int x) { return __builtin_ffs(x); }
TL_FN int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
TL_FN unsigned __umulhi(unsigned x, unsigned y) {
  return (unsigned)((unsigned long long)x * y >> 32);
}
TL_FN unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return shift & 31 ? high << (shift & 31) | low >> (32 - (shift & 31)) : high;
}
TL_FN unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return shift & 31 ? low >> (shift & 31) | high << (32 - (shift & 31)) : low;
}
TL_FN unsigned __brev(unsigned x) {
  unsigned out = 0;
  for (int i = 0; i < 32; ++i) out |= (x >> i & 1) << (31 - i);
  return out;
}
TL_FN unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long both = (unsigned long long)y << 32 | x;
  unsigned out = 0;
  for (int i = 0; i < 4; ++i)
    out |= (unsigned)(both >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
  return out;
}
TL_FN int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) c += (signed char)(a >> 8 * i) * (signed char)(b >> 8 * i);
  return c;
}
TL_FN unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 255) * (b >> 8 * i & 255);
  return c;
}
TL_FN unsigned __vadd4(unsigned x, unsigned y) {
  return ((x & 0x7f7f7f7fu) + (y & 0x7f7f7f7fu)) ^ ((x ^ y) & 0x80808080u);
}
TL_FN unsigned __vsub4(unsigned x, unsigned y) {
  return ((x | 0x80808080u) - (y & 0x7f7f7f7fu)) ^ ((x ^ ~y) & 0x80808080u);
}
TL_FN float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
template <class T> TL_FN T __ldg(const T* p) { return *p; }
template <class T> TL_FN T __ldcg(const T* p) { return *p; }
template <class T> TL_FN T __ldcs(const T* p) { return *p; }
