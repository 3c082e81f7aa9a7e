// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD: every allocation of C++ whose number is a multiple of
// TILELAB_FAIL_EVERY fails, until the handler of operator new has given memory back.
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

void fail_if_due() {
  static const char* const given = std::getenv("TILELAB_FAIL_EVERY");
  static const long every = given ? std::atol(given) : 0;
  static std::atomic<long> count{0};
  if (every <= 0 || ++count % every != 0) return;
  if (std::new_handler handler = std::get_new_handler()) handler();  // none: the program starts
}

}  // namespace

void* operator new(std::size_t size) {
  fail_if_due();
  if (void* made = std::malloc(size ? size : 1)) return made;
  throw std::bad_alloc();
}

void operator delete(void* address) noexcept { std::free(address); }
void operator delete(void* address, std::size_t) noexcept { std::free(address); }
