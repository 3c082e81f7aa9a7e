// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD: allocations that the program itself makes, which are those of C++, fail
// as the file TILELAB_FAIL_PLAN says. The test maps it as well, and changes it while the program
// runs.
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" void* __libc_malloc(size_t size);  // NOLINT(bugprone-reserved-identifier)

namespace {

/// Of the allocations of at least `least` bytes, `pass` succeed and then `fail` fail.
struct Plan {
  std::atomic<int64_t> pass, fail, least, failed;
};

Plan* plan = nullptr;
uintptr_t program_begin = 0, program_end = 0;

int read_program(dl_phdr_info* info, size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
    program_begin = info->dlpi_addr + part.p_vaddr;
    program_end = program_begin + part.p_memsz;
  }
  return 1;  // the first is the program
}

[[gnu::constructor]] void start() {
  const char* path = std::getenv("TILELAB_FAIL_PLAN");
  const int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  dl_iterate_phdr(read_program, nullptr);
  void* mapped = mmap(nullptr, sizeof(Plan), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) plan = static_cast<Plan*>(mapped);
}

bool fails(size_t size) {
  if (!plan || int64_t(size) < plan->least || plan->fail <= 0) return false;
  if (plan->pass > 0 && plan->pass.fetch_sub(1) > 0) return false;
  if (plan->fail.fetch_sub(1) <= 0) return false;
  ++plan->failed;
  return true;
}

}  // namespace

extern "C" void* malloc(size_t size) {
  const auto caller = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  const bool of_program = caller >= program_begin && caller < program_end;
  return of_program && fails(size) ? nullptr : __libc_malloc(size);
}
