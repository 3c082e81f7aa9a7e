// SPDX-License-Identifier: Apache-2.0
// Tile IR through all passes to MUSA C for both architectures: L0, L1, and L2 held against the
// simulator on the tile IR and on the flat IR, at sizes with tails and tiny ones.
#include <functional>

#include "core/ir_text/ir_text.h"
#include "core/passes/pass.h"
#include "tests/codegen/harness.h"
#include "tests/emulation/lint.h"
#include "tests/emulation/run_flat.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

struct Array {
  DType dtype;
  std::vector<int64_t> shape;
  bool output = false;
};
using Shapes = std::vector<Array>;

/// One kernel text, with the shapes of its arguments at each size (a scalar has no shape).
struct TileKernel {
  const char* name;
  std::vector<Shapes> sizes;
};

std::vector<TileKernel> kernels() {
  const DType f32 = DType::f32, f16 = DType::f16, i32 = DType::i32;
  auto add = [&](int64_t m, int64_t n) {
    return Shapes{{f32, {m, n}}, {f32, {m, n}}, {f32, {m, n}, true}};
  };
  auto softmax = [&](int64_t m) { return Shapes{{f32, {m, 512}}, {f32, {m, 512}, true}}; };
  auto transpose = [&](int64_t m, int64_t n) { return Shapes{{f16, {m, n}}, {f16, {n, m}, true}}; };
  auto matmul = [&](int64_t m, int64_t n) {
    return Shapes{{f16, {m, 96}}, {f16, {96, n}}, {f32, {m, n}, true}};
  };
  auto histogram = [&](int64_t n) { return Shapes{{i32, {n}}, {i32, {8}, true}, {i32, {}}}; };
  auto columns = [&](int64_t n) {
    return Shapes{{f32, {64, n}}, {f32, {n}, true}, {f32, {n}, true}};
  };
  return {{"add", {add(8, 64), add(13, 100), add(1, 1)}},
          {"softmax", {softmax(4), softmax(5), softmax(1)}},
          {"transpose", {transpose(64, 32), transpose(37, 45), transpose(1, 3)}},
          {"matmul", {matmul(64, 32), matmul(45, 37), matmul(1, 1)}},
          {"histogram", {histogram(512), histogram(1000), histogram(3)}},
          {"columns", {columns(48), columns(50), columns(1)}}};
}

/// The arguments with random inputs and zeroed outputs; owns their memory.
struct Arguments {
  std::vector<std::vector<unsigned char>> memory;
  std::vector<sim::Argument> list;

  explicit Arguments(const Shapes& shapes) {
    std::mt19937_64 random(seed());
    std::uniform_real_distribution<double> real(-2, 2);
    for (const Array& a : shapes) {
      if (a.shape.empty()) {
        list.push_back(sim::scalar_argument(a.dtype, 5));
        memory.emplace_back();
        continue;
      }
      int64_t count = 1;
      for (int64_t extent : a.shape) count *= extent;
      std::vector<unsigned char> bytes_of(size_t(count * bytes(a.dtype)));
      for (int64_t i = 0; i < count && !a.output; ++i) {
        const uint64_t bits =
            is_float(a.dtype) ? encode_float(a.dtype, real(random)) : uint64_t(random() % 1000);
        std::memcpy(&bytes_of[size_t(i * bytes(a.dtype))], &bits, size_t(bytes(a.dtype)));
      }
      memory.push_back(std::move(bytes_of));
      list.push_back(sim::tensor_argument(a.dtype, a.shape, memory.back().data()));
    }
  }
};

double value_at(const std::vector<unsigned char>& memory, DType dtype, size_t i) {
  uint64_t raw = 0;
  std::memcpy(&raw, &memory[i * size_t(bytes(dtype))], size_t(bytes(dtype)));
  return is_float(dtype) ? decode_float(dtype, raw) : double(wrap_int(dtype, int64_t(raw)));
}

void expect_close(const TileKernel& c, const Shapes& shapes, const Arguments& a, const Arguments& b,
                  double tolerance, const std::string& what) {
  for (size_t k = 0; k < shapes.size(); ++k) {
    if (!shapes[k].output || a.memory[k] == b.memory[k]) continue;
    const size_t count = a.memory[k].size() / size_t(bytes(shapes[k].dtype));
    for (size_t i = 0; i < count; ++i) {
      const double x = value_at(a.memory[k], shapes[k].dtype, i);
      const double y = value_at(b.memory[k], shapes[k].dtype, i);
      // Sums of up to 96 terms below 4 cancel: the second part is their rounding, not the result's.
      if (std::fabs(x - y) <= tolerance * (std::fabs(x) + 2)) continue;
      char text[160];
      std::snprintf(text, sizeof text, "argument %zu, element %zu: %.9g and %.9g", k, i, x, y);
      return fail(c.name, 0, what + ": " + text);
    }
  }
}

FuncRef lowered(const TileKernel& c, const Target& target, FuncRef& tile) {
  const std::string source = text_of("tile/" + std::string(c.name) + ".tile");
  Diagnostics sink;
  tile = read_ir(c.name, source, sink);
  if (tile) {
    Func copy(*tile);
    copy.target = std::string(target.name);
    tile = make(std::move(copy));
    PipelineResult result = run_passes(tile, sink);
    if (result.ok) return result.func();
  }
  for (const Diagnostic& d : sink.all()) fail(c.name, int(d.span.line), d.message);
  return nullptr;
}

void check_case(const TileKernel& c, const Func& tile, const Func& flat,
                musa::EmulatedFunctions& emulated) {
  for (const Shapes& shapes : c.sizes) {
    Arguments on_tile(shapes), on_flat(shapes);
    const sim::RunResult a = sim::run(tile, on_tile.list), b = sim::run(flat, on_flat.list);
    if (!a.ok()) fail(c.name, 0, "tile level: " + a.error);
    if (!b.ok()) fail(c.name, 0, "flat level: " + b.error);
    expect_close(c, shapes, on_tile, on_flat, 1e-5, "tile and flat");  // reductions reassociate
    for (uint64_t schedule : {uint64_t(0), seed()}) {
      Arguments on_emulation(shapes);
      const sim::RunResult r = emulated.run(flat, on_emulation.list, schedule);
      if (!r.ok()) fail(c.name, 0, "emulation: " + r.error);
      expect_close(c, shapes, on_flat, on_emulation, 0, "flat and emulation");
    }
  }
}

}  // namespace

TEST(pipeline_to_musa_c_for_both_architectures) {
  for (const char* name : {"mp_31", "mp_22"}) {
    const Target& target = *find_target(name);
    const std::vector<TileKernel> all = kernels();
    std::vector<FuncRef> tiles(all.size()), flats;
    std::vector<const Func*> functions;
    for (size_t i = 0; i < all.size(); ++i) {
      flats.push_back(lowered(all[i], target, tiles[i]));
      if (!flats.back()) return;
      functions.push_back(flats.back().get());
      for (const std::string& complaint : codegen::lint(*flats.back(), target))
        fail(all[i].name, 0, complaint);
    }
    std::string log;
    auto emulated = musa::EmulatedFunctions::make(functions, target, &log);
    if (!emulated) return fail(name, 0, log);
    const auto types = musa::type_check(emulated->text(), architecture_number(target.name) * 10);
    if (!types.ok) fail(name, 0, types.log);
    for (size_t i = 0; i < all.size(); ++i) check_case(all[i], *tiles[i], *flats[i], *emulated);
  }
}
