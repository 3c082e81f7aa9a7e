// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies, the copy engine and the matrix unit of the emulation.
#include <cmath>
#include <cstring>

#include "tests/emulation/machine.h"

namespace tilelab::emu {

namespace {

/// Granule in bytes of a swizzle code (0: none).
unsigned granule_bytes(unsigned code) { return code ? 8u << code : 0; }

/// Byte address in shared memory after the swizzle: in each 256-byte line, granules are permuted by
/// exclusive or with the line's index.
unsigned swizzled(unsigned address, unsigned granule) {
  if (!granule) return address;
  const unsigned line = address / 256, slots = 256 / granule;
  const unsigned slot = address % 256 / granule ^ line % slots;
  return line * 256 + slot * granule + address % granule;
}

float half_value(uint16_t bits) {
  const int e = bits >> 10 & 31, m = bits & 1023;
  const float sign = bits & 0x8000 ? -1.f : 1.f;
  if (e == 31) return m ? NAN : sign * INFINITY;
  return sign * (e ? std::ldexp(float(m + 1024), e - 25) : std::ldexp(float(m), -24));
}

float bits_value(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

float float8_value(uint8_t bits, int mantissa) {
  const int width = 7 - mantissa, bias = (1 << (width - 1)) - 1;
  const int e = bits >> mantissa & ((1 << width) - 1), m = bits & ((1 << mantissa) - 1);
  const float sign = bits & 0x80 ? -1.f : 1.f;
  if (mantissa == 3 && (bits & 0x7f) == 0x7f) return NAN;
  if (mantissa == 2 && e == 31) return m ? NAN : sign * INFINITY;
  const float scaled = float(e ? m + (1 << mantissa) : m);
  return sign * std::ldexp(scaled, (e ? e : 1) - bias - mantissa);
}

/// The row pitch in bytes in a matrix operand's descriptor; 0 if the code is unknown.
unsigned pitch_of(unsigned descriptor) {
  const unsigned code = descriptor >> 18 & 7;
  return code >= 1 && code <= 6 ? 4u << code : 0;
}

}  // namespace

int operand_bytes(int type) {
  switch (type) {
    case 0:
    case 1:
    case 5:
    case 6: return 1;
    case 2:
    case 3: return 2;
    case 4: return 4;
    default: return 0;
  }
}

float operand_value(const unsigned char* p, int type) {
  uint16_t half;
  uint32_t word;
  switch (type) {
    case 0: return float(*p);
    case 1: return float(static_cast<signed char>(*p));
    case 2: std::memcpy(&half, p, 2); return half_value(half);
    case 3: std::memcpy(&half, p, 2); return bits_value(uint32_t(half) << 16);
    case 4: std::memcpy(&word, p, 4); return bits_value(word & 0xffffe000u);  // tf32: 10 bits kept
    case 5: return float8_value(*p, 3);
    default: return float8_value(*p, 2);
  }
}

int map_element_bytes(int type) {
  static const int bytes[] = {1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 8, 8, 8, 4, 4, 4, 4};
  return type >= 0 && type < 17 ? bytes[type] : 0;
}

std::string make_map(tl_emu_map& map, int type, int rank, void* base, const uint64_t* dims,
                     const uint64_t* strides) {
  const int element = map_element_bytes(type);
  if (!element) return "unknown data type " + std::to_string(type);
  if (rank < 1 || rank > 5) return "rank " + std::to_string(rank) + " is not in 1..5";
  if (reinterpret_cast<uintptr_t>(base) % 16)
    return "the address of the tensor is not a multiple of 16";
  std::memset(&map, 0, sizeof map);
  map.type = unsigned(type);
  map.rank = unsigned(rank);
  map.base = static_cast<unsigned char*>(base);
  for (int i = 0; i < rank; ++i) {
    map.dim[i] = dims[i];
    map.stride[i] = i ? strides[i - 1] : uint64_t(element);
    if (i && map.stride[i] % 16) return "a stride is not a multiple of 16 bytes";
  }
  return "";
}

unsigned Machine::shared_offset(const void* p, long bytes, const char* what) {
  const auto* address = static_cast<const unsigned char*>(p);
  const long offset = address - module_.arena;
  if (offset < 0 || offset + bytes > long(options_.smem))
    fault_here(std::string(what) + " outside the block's " + std::to_string(options_.smem) +
               " bytes of shared memory");
  return unsigned(offset);
}

void Machine::on_copy(void* dst, const void* src, int bytes) {
  if (bytes != 4 && bytes != 8 && bytes != 16)
    fault_here("an asynchronous copy must be of 4, 8 or 16 bytes");
  shared_offset(dst, bytes, "asynchronous copy");
  if (reinterpret_cast<uintptr_t>(dst) % bytes || reinterpret_cast<uintptr_t>(src) % bytes)
    fault_here("misaligned asynchronous copy");
  lanes_[current_].copies.push_back({dst, src, bytes});
}

void Machine::on_tile(const tl_emu_tile& tile) {
  const tl_emu_map& map = *tile.map;
  if (unsigned(tile.rank) != map.rank) fault_here("coordinates and tensor map differ in rank");
  const int element = map_element_bytes(int(map.type));
  const unsigned granule = granule_bytes(unsigned(tile.granule));
  long bytes = element;
  for (int i = 0; i < tile.rank; ++i) bytes *= tile.dim[i];
  const unsigned start = shared_offset(tile.smem, bytes, "tile");
  if (bytes <= 0) fault_here("empty tile");
  if (tile.dim[0] * element % 16) fault_here("the rows of the tile are not a multiple of 16 bytes");
  if (tile.granule < 0 || tile.granule > 3 || tile.stride != 3 || tile.line != 1)
    fault_here("swizzle codes that are not known to work");
  if (granule && start % 256) fault_here("a swizzled tile must start at a multiple of 256 bytes");
  if (granule && tile.dim[0] * element > 256)
    fault_here("a swizzled tile is at most 256 bytes wide");
  EngineJob job{tile, map, line};
  if (!tile.bar) {
    lanes_[current_].stores.push_back(job);
    return;
  }
  barrier(tile.bar);
  engine_.push_back(job);
}

/// Executes one job of the queue of loads: the oldest, or any with a random schedule.
bool Machine::run_engine() {
  if (engine_.empty()) return false;
  const size_t at = options_.seed ? random_() % engine_.size() : 0;
  const EngineJob job = engine_[at];
  engine_.erase(engine_.begin() + long(at));
  run_job(job);
  return true;
}

void Machine::run_job(const EngineJob& job) {
  const tl_emu_tile& tile = job.tile;
  move_tile(job);
  if (!tile.bar) return;
  long bytes = map_element_bytes(int(job.map.type));
  for (int i = 0; i < tile.rank; ++i) bytes *= tile.dim[i];
  Barrier& b = barriers_[tile.bar];
  b.bytes -= bytes;  // elements outside the tensor count as well
  if (b.bytes < 0)
    note("barrier " + std::to_string(tile.bar) + ": " + std::to_string(-b.bytes) +
             " bytes arrive that were not announced",
         job.line, -1);
  flip_if_complete(b);
}

/// Dense in shared memory, first coordinate fastest, then swizzled by absolute address. Loads write
/// zeros for elements outside the tensor; stores drop them.
void Machine::move_tile(const EngineJob& job) {
  const tl_emu_tile& tile = job.tile;
  const tl_emu_map& map = job.map;
  const long element = map_element_bytes(int(map.type));
  const unsigned granule = granule_bytes(unsigned(tile.granule));
  const auto start = unsigned(static_cast<unsigned char*>(tile.smem) - module_.arena);
  long total = 1;
  for (int i = 0; i < tile.rank; ++i) total *= tile.dim[i];
  for (long n = 0; n < total; ++n) {
    long rest = n;
    uint64_t offset = 0;
    bool inside = true;
    for (int i = 0; i < tile.rank; ++i) {
      const long c = tile.crd[i] + rest % tile.dim[i];
      rest /= tile.dim[i];
      inside &= c >= 0 && uint64_t(c) < map.dim[i];
      if (inside) offset += uint64_t(c) * map.stride[i];
    }
    unsigned char* shared = module_.arena + swizzled(start + unsigned(n * element), granule);
    if (tile.bar && !inside) std::memset(shared, 0, size_t(element));
    if (tile.bar && inside) std::memcpy(shared, map.base + offset, size_t(element));
    if (!tile.bar && inside) std::memcpy(map.base + offset, shared, size_t(element));
  }
}

void Machine::on_product(const tl_emu_sqmma& p) {
  const int threads = int(lanes_.size());
  if (threads % 128) fault_here("SQMMA needs whole squads of 128 threads");
  if (p.c != p.d) fault_here("SQMMA adds to its own accumulators");
  const int bytes = operand_bytes(p.type);
  if (!bytes) fault_here("operand type " + std::to_string(p.type) + " is not emulated");
  if (p.neg_a || p.neg_b || p.sat || p.scale_d)
    fault_here("negated, saturated or clearing SQMMA is not used here");
  if (!pitch_of(p.desc_a) || !pitch_of(p.desc_b)) fault_here("a descriptor without a row pitch");
  if (bytes == 1 && (p.a_mn_major || !p.b_k_major)) fault_here("8-bit operands must be K-major");
  if (bytes == 4 && ((p.a_mn_major && p.m == 128) || (!p.b_k_major && p.n == 128)))
    fault_here("tf32 operands of 128 rows or columns must be K-major");
  lanes_[current_].products.push_back(p);
}

/// One thread's part of a matmul: element (m, n) of the squad's tile is register (m / 16) * (N / 8)
/// + n / 8 of thread (m % 16) * 8 + n % 8. Each sum is one chain of fused multiply-adds over
/// increasing k.
void Machine::multiply(int lane, const tl_emu_sqmma& p) {
  const int t = lane % 128, rows = p.m / 16, columns = p.n / 8, bytes = operand_bytes(p.type);
  auto gather = [&](std::vector<float>& out, unsigned descriptor, int count, int first, int step,
                    bool k_major) {
    const unsigned start = descriptor & 0x3ffff, pitch = pitch_of(descriptor);
    const unsigned granule = granule_bytes(descriptor >> 21 & 3);
    out.resize(size_t(count) * p.k);
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < p.k; ++k) {
        const unsigned mn = unsigned(first + i * step);
        const unsigned at =
            k_major ? mn * pitch + unsigned(k * bytes) : unsigned(k) * pitch + mn * unsigned(bytes);
        const unsigned address = swizzled(start + at, granule);
        if (address + unsigned(bytes) > options_.smem)
          fault_here("SQMMA reads outside the block's shared memory");
        out[size_t(i) * p.k + k] = operand_value(module_.arena + address, p.type);
      }
  };
  gather(scratch_a_, p.desc_a, rows, t / 8, 16, !p.a_mn_major);
  gather(scratch_b_, p.desc_b, columns, t % 8, 8, p.b_k_major);
  const bool integer = p.type < 2, exact = p.type == 2;  // a product of two halves is exact
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const float *a = &scratch_a_[size_t(i) * p.k], *b = &scratch_b_[size_t(j) * p.k];
      int* d = p.d + i * columns + j;
      if (integer) {
        uint32_t sum = uint32_t(*d);
        for (int k = 0; k < p.k; ++k) sum += uint32_t(int(a[k]) * int(b[k]));
        *d = int(sum);
        continue;
      }
      float sum;
      std::memcpy(&sum, d, 4);
      if (exact)
        for (int k = 0; k < p.k; ++k) sum += a[k] * b[k];
      else
        for (int k = 0; k < p.k; ++k) sum = std::fma(a[k], b[k], sum);
      std::memcpy(d, &sum, 4);
    }
}

void Machine::on_commit(int) {
  Lane& lane = lanes_[current_];
  lane.committed = lane.stores.size();
}

/// Issued operations take effect now, at the latest moment that the hardware allows.
void Machine::on_wait(int queue) {
  Lane& lane = lanes_[current_];
  if (queue == TL_EMU_G2S) {
    for (const CopyToShared& c : lane.copies) std::memcpy(c.dst, c.src, size_t(c.bytes));
    lane.copies.clear();
  } else if (queue == TL_EMU_MMA) {
    for (const tl_emu_sqmma& p : lane.products) multiply(current_, p);
    lane.products.clear();
  } else {
    for (size_t i = 0; i < lane.committed; ++i) run_job(lane.stores[i]);
    lane.stores.erase(lane.stores.begin(), lane.stores.begin() + long(lane.committed));
    lane.committed = 0;
  }
}

}  // namespace tilelab::emu
