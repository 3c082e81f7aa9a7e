// SPDX-License-Identifier: Apache-2.0
#include "tests/emulation/run_flat.h"

#include <deque>

#include "codegen/events.h"
#include "core/support/check.h"

namespace tilelab::musa {

namespace {

/// The data type code of a tensor map's elements.
int map_type(DType dtype) {
  switch (dtype) {
    case DType::i8: return 0;
    case DType::i16: return 2;
    case DType::u16: return 3;
    case DType::f16: return 4;
    case DType::bf16: return 5;
    case DType::i32: return 6;
    case DType::u32: return 7;
    case DType::f32: return 8;
    case DType::i64: return 10;
    case DType::u64: return 11;
    case DType::f64: return 12;
    default: return 1;  // one byte
  }
}

}  // namespace

std::unique_ptr<EmulatedFunctions> EmulatedFunctions::make(
    const std::vector<const Func*>& functions, const Target& target, std::string* log) {
  auto out = std::make_unique<EmulatedFunctions>();
  CHECK(target.family == Family::musa, "the emulation runs MUSA C");
  for (const Func* func : functions) {
    Diagnostics sink;
    auto rendered = codegen::render(*func, target, {}, sink);
    if (!rendered) {
      if (log) *log += func->name.str() + ": " + sink.all()[0].message + "\n";
      return nullptr;
    }
    out->text_ += rendered->text;
    for (codegen::RenderedKernel& kernel : rendered->kernels)
      out->kernels_.push_back(std::move(kernel));
  }
  const int arch = architecture_number(target.name) * 10;
  out->module_ = EmulatedModule::compile(out->text_, arch, log);
  if (!out->module_) return nullptr;
  return out;
}

const codegen::RenderedKernel& EmulatedFunctions::rendered(const Kernel& kernel) const {
  for (const codegen::RenderedKernel& k : kernels_)
    if (k.source == kernel.name) return k;
  UNREACHABLE("kernel " + kernel.name.str() + " was not compiled here");
}

sim::RunResult EmulatedFunctions::run(const Func& func, std::span<const sim::Argument> arguments,
                                      uint64_t schedule) {
  return sim::run_host(func, arguments, [&](const sim::Launch& l, sim::RunResult& result) {
    launch(l, schedule, result);
  });
}

void EmulatedFunctions::launch(const sim::Launch& l, uint64_t schedule, sim::RunResult& result) {
  const codegen::RenderedKernel& kernel = rendered(l.kernel);
  std::deque<uint64_t> words;  // what args point at
  std::deque<tl_emu_map> maps;
  std::vector<void*> args;
  auto word = [&](uint64_t value) { args.push_back(&words.emplace_back(value)); };
  for (Symbol id : kernel.params) {
    bool found = false;
    for (const sim::GlobalMemory& m : l.memories)
      if (m.name == id) word(reinterpret_cast<uint64_t>(m.data)), found = true;
    for (const auto& [name, scalar] : l.scalars)
      if (name == id) word(scalar.bits), found = true;  // little-endian: the low bytes come first
    for (const sim::HostMap& m : l.maps) {
      if (m.name != id) continue;
      const sim::GlobalMemory& memory = l.memories[size_t(m.memory)];
      std::vector<uint64_t> dims(m.dims.begin(), m.dims.end());
      std::vector<uint64_t> strides(m.strides.begin() + 1, m.strides.end());
      tl_emu_map& map = maps.emplace_back();
      result.error = emu::make_map(map, map_type(m.dtype), int(dims.size()), memory.data,
                                   dims.data(), strides.data());
      if (!result.error.empty()) {
        result.status = sim::RunResult::Status::refused;
        return;
      }
      args.push_back(&map);
      found = true;
    }
    CHECK(found, "no value for kernel parameter " + id.str());
  }
  std::vector<char> ring;
  if (kernel.records) {
    ring.resize(codegen::kEventRingBytes);
    codegen::open_event_ring(ring.data());
    word(reinterpret_cast<uint64_t>(ring.data()));
  }
  emu::LaunchOptions options;
  options.seed = schedule;
  options.smem = unsigned(std::max<int64_t>(l.kernel.smem, 0));
  const tl_emu_dim grid{unsigned(l.grid[0]), unsigned(l.grid[1]), unsigned(l.grid[2])};
  const emu::LaunchReport report =
      module_->launch(kernel.name, grid, {unsigned(l.kernel.block), 1, 1}, args, options);
  if (kernel.records) codegen::read_event_ring({ring, l.grid, l.kernel.block}, kernel, result);
  if (!report.ok) {
    result.status = sim::RunResult::Status::stopped;
    result.error = report.fault;
    return;
  }
  result.blocks += l.grid[0] * l.grid[1] * l.grid[2];
}

}  // namespace tilelab::musa
