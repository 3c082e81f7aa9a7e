// SPDX-License-Identifier: Apache-2.0
// Stack switching: a dozen instructions on x86-64, ucontext elsewhere.
#include "tests/emulation/fibre.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TILELAB_ASAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(TILELAB_ASAN)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_UNPOISON_MEMORY_REGION(memory, size) \
  (static_cast<void>(memory), static_cast<void>(size))
#endif

namespace tilelab::emu {

/// A fibre abandoned by a fault never returned: AddressSanitizer's record of its calls must not
/// affect the next one on this stack.
static void forget_calls(char* stack) { ASAN_UNPOISON_MEMORY_REGION(stack, Stacks::bytes); }

Stacks::~Stacks() {
  if (memory_) munmap(memory_, bytes * count_);
}

void Stacks::reserve(int count) {
  if (count <= count_) return;
  if (memory_) munmap(memory_, bytes * count_);
  count_ = 0;
  void* p = mmap(nullptr, bytes * count, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  memory_ = p == MAP_FAILED ? nullptr : static_cast<char*>(p);
  if (!memory_) throw std::bad_alloc();
  count_ = count;
}

#if defined(__x86_64__)

extern "C" void tilelab_switch_stack(void** save, void* load);
extern "C" void tilelab_first_step();

// System V ABI: rbx, rbp and r12..r15 survive a call. A new stack holds, from its pointer on, six
// zeros for them (r12: entry, r13: argument) and the address of the first step.
asm(R"(
.text
.globl tilelab_switch_stack
.type tilelab_switch_stack, @function
tilelab_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size tilelab_switch_stack, .-tilelab_switch_stack
.globl tilelab_first_step
.type tilelab_first_step, @function
tilelab_first_step:
  movq %r13, %rdi
  call *%r12
  ud2
.size tilelab_first_step, .-tilelab_first_step
)");

void Stacks::start(int i, Context& context, void (*entry)(void*), void* argument) {
  forget_calls(memory_ + bytes * i);
  auto* top = reinterpret_cast<uint64_t*>(memory_ + bytes * (i + 1));
  top -= 2;  // at the first step the stack pointer is a multiple of 16, as before a call
  *--top = reinterpret_cast<uint64_t>(&tilelab_first_step);
  const uint64_t saved[6] = {
      0, 0, reinterpret_cast<uint64_t>(entry), reinterpret_cast<uint64_t>(argument), 0, 0};
  for (uint64_t value : saved) *--top = value;
  context.stack_pointer = top;
}

void switch_context(Context& from, Context& to) {
  tilelab_switch_stack(&from.stack_pointer, to.stack_pointer);
}

#else

namespace {
void first_step(unsigned high, unsigned low, unsigned arg_high, unsigned arg_low) {
  auto entry = reinterpret_cast<void (*)(void*)>(uint64_t(high) << 32 | low);
  entry(reinterpret_cast<void*>(uint64_t(arg_high) << 32 | arg_low));
}
ucontext_t& ucontext_of(Context& c) {
  if (!c.other) c.other = new ucontext_t;  // lives as long as the pool of fibres: the process
  return *static_cast<ucontext_t*>(c.other);
}
}  // namespace

void Stacks::start(int i, Context& context, void (*entry)(void*), void* argument) {
  forget_calls(memory_ + bytes * i);
  ucontext_t& u = ucontext_of(context);
  getcontext(&u);
  u.uc_stack.ss_sp = memory_ + bytes * i;
  u.uc_stack.ss_size = bytes;
  u.uc_link = nullptr;
  const auto e = reinterpret_cast<uint64_t>(entry), a = reinterpret_cast<uint64_t>(argument);
  makecontext(&u, reinterpret_cast<void (*)()>(&first_step), 4, unsigned(e >> 32), unsigned(e),
              unsigned(a >> 32), unsigned(a));
}

void switch_context(Context& from, Context& to) {
  swapcontext(&ucontext_of(from), &ucontext_of(to));
}

#endif

}  // namespace tilelab::emu
