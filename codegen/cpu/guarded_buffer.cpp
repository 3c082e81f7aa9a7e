// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/guarded_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace tilelab::codegen {

GuardedBuffer::GuardedBuffer(size_t bytes, size_t align, unsigned char poison, bool shared)
    : bytes_(bytes) {
  const auto page = size_t(sysconf(_SC_PAGESIZE));
  const size_t inner = (bytes + page - 1) / page * page;
  mapped_ = inner + 2 * page;
  void* p =
      mmap(nullptr, mapped_, PROT_NONE, (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  pages_ = static_cast<char*>(p);
  if (inner) mprotect(pages_ + page, inner, PROT_READ | PROT_WRITE);
  data_ = pages_ + page + (inner - bytes) / align * align;
  std::memset(data_, poison, bytes);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : pages_(other.pages_), mapped_(other.mapped_), bytes_(other.bytes_), data_(other.data_) {
  other.pages_ = nullptr;
}

GuardedBuffer::~GuardedBuffer() {
  if (pages_) munmap(pages_, mapped_);
}

}  // namespace tilelab::codegen
