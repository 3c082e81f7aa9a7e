// SPDX-License-Identifier: Apache-2.0
#include "core/check/made_up.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/ir/linear.h"

namespace tilelab {
namespace {

constexpr int64_t kUnknownSize = 100;  // not a multiple of tile sizes: the tail is checked as well
constexpr size_t kMostBytes = size_t{1} << 36;
constexpr size_t kPage = 4096;
// The number of pages is coprime to all tile sizes, so that tiles of a matrix differ.
constexpr size_t kPeriod = 13 * kPage, kPatternBytes = 19 * kPeriod;

/// Values in [-2, 2).
void fill_period(DType dtype, std::vector<uint8_t>& bytes_of_it) {
  const size_t size = size_t(bytes(dtype));
  for (size_t i = 0; i < kPeriod / size; ++i) {
    const auto scrambled = int64_t(uint32_t(i) * 2654435761u >> 22);  // 10 bits
    const uint64_t bits = encode_float(dtype, double(scrambled - 512) / 256);
    std::memcpy(&bytes_of_it[i * size], &bits, size);
  }
}

}  // namespace

void MadeUpArguments::Unmap::operator()(void* memory) const { munmap(memory, bytes); }

MadeUpArguments::MadeUpArguments(const Func& func, const std::map<Symbol, int64_t>& sizes)
    : sizes_(sizes) {
  for (size_t i = 0; i < func.params.size() && problem.empty(); ++i) {
    const Param& param = to<Param>(func.params[i]);
    const bool fresh =
        std::find(func.outputs.begin(), func.outputs.end(), int64_t(i)) != func.outputs.end();
    const Buffer* tensor = as<Buffer>(param.tensor);
    if (tensor && tensor->pointers)
      problem = "the addresses in " + param.name.str() + " are not known until a call";
    else if (tensor)
      add_tensor(func, param, *tensor, fresh);
    else if (is_float(param.dtype))
      arguments.push_back(sim::scalar_argument(param.dtype, encode_float(param.dtype, 1)));
    else if (!sizes_.count(param.name))
      problem = "the number " + param.name.str() + " is not known until a call";
    else
      arguments.push_back(sim::scalar_argument(param.dtype, uint64_t(size_of(func, param.name))));
  }
  for (const auto& [dtype, file] : patterns_) close(file);
  if (!problem.empty()) arguments.clear();
}

/// The extent or number of that name; if not given, chosen according to its declaration.
int64_t MadeUpArguments::size_of(const Func& func, Symbol name) {
  auto [it, absent] = sizes_.try_emplace(name, kUnknownSize);
  if (!absent) return it->second;
  for (const Stmt& stmt : func.dims) {
    const Dim& dim = to<Dim>(stmt);
    if (dim.name != name) continue;
    const int64_t multiple = std::max<int64_t>(dim.multiple, 1);
    it->second = std::clamp((kUnknownSize + multiple - 1) / multiple * multiple, dim.lo, dim.hi);
  }
  return it->second;
}

void MadeUpArguments::add_tensor(const Func& func, const Param& param, const Buffer& tensor,
                                 bool fresh) {
  auto number = [&](const Expr& e) {
    return evaluate(e, [&](Symbol name) { return std::optional(size_of(func, name)); });
  };
  sim::Argument made = sim::tensor_argument(param.dtype, {}, nullptr);
  size_t elements = 1;
  for (const std::vector<Expr>* list : {&tensor.shape, &tensor.strides})
    for (const Expr& e : *list) {
      const std::optional<int64_t> value = number(e);
      if (!value || *value < 0 || *value > int64_t(kMostBytes)) {
        problem = "the extents of " + param.name.str() + " are not known until a call";
        return;
      }
      (list == &tensor.shape ? made.shape : made.strides).push_back(*value);
    }
  if (made.strides.empty()) {
    for (int64_t extent : made.shape) {
      elements *= size_t(extent);
      if (elements > kMostBytes) break;
    }
  } else {
    for (size_t d = 0; d < made.shape.size(); ++d)
      elements += size_t(std::max<int64_t>(made.shape[d] - 1, 0) * made.strides[d]);
  }
  if (elements > kMostBytes / 8) {
    problem = param.name.str() + " is too large";
    return;
  }
  made.fresh = fresh;
  memory_.push_back(memory_of(param.dtype, elements * size_t(bytes(param.dtype))));
  made.data = memory_.back().get();
  if (!made.data) problem = "not enough memory for " + param.name.str();
  arguments.push_back(std::move(made));
}

MadeUpArguments::Memory MadeUpArguments::memory_of(DType dtype, size_t bytes) {
  const size_t all = (bytes / kPatternBytes + 1) * kPatternBytes;
  void* memory = mmap(nullptr, all, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return Memory(nullptr, Unmap{});
  const int file = is_float(dtype) ? pattern_of(dtype) : -1;
  for (size_t at = 0; file >= 0 && at < all; at += kPatternBytes)
    mmap(static_cast<uint8_t*>(memory) + at, kPatternBytes, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0);
  return Memory(memory, Unmap{all});
}

/// A file with the pattern of a dtype; -1: use zeros.
int MadeUpArguments::pattern_of(DType dtype) {
  auto [it, fresh] = patterns_.try_emplace(dtype, -1);
  if (!fresh) return it->second;
  const int file = memfd_create("tilelab", MFD_CLOEXEC);
  std::vector<uint8_t> period(kPeriod);
  fill_period(dtype, period);
  bool written = file >= 0;
  for (size_t at = 0; written && at < kPatternBytes; at += kPeriod)
    written = write(file, period.data(), kPeriod) == ssize_t(kPeriod);
  if (written) return it->second = file;
  if (file >= 0) close(file);
  return -1;
}

}  // namespace tilelab
