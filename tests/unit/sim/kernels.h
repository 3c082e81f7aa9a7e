// SPDX-License-Identifier: Apache-2.0
// The worked kernels (tests/ir/kernels) with their inputs and float64 references.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/diagnostics/render.h"
#include "core/ir/text/print.h"
#include "core/ir_text/ir_text.h"
#include "core/passes/pass.h"
#include "core/sim/machine/machine.h"
#include "core/sim/sim.h"
#include "tests/unit/test.h"

namespace tilelab::test {

inline std::string kernel_text(const std::string& name) {
  std::ifstream in(std::string(TILELAB_SOURCE_DIR) + "/tests/ir/kernels/" + name + ".py");
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  if (at == std::string::npos) fail("kernel text", 0, "\"" + from + "\" does not occur");
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// A kernel's text after a pass that follows its own ("": after all).
inline std::string text_after(const std::string& text, const std::string& pass) {
  Diagnostics sink;
  FuncRef f = read_ir("kernel", text, sink);
  PipelineOptions options;
  options.stop_after = pass;
  PipelineResult made = f ? run_passes(f, sink, options) : PipelineResult{};
  if (!made.ok) fail("text", 0, render(sink).plain());
  return made.ok ? print(*made.func()) : "";
}

/// A kernel of tile level at all levels, the lower ones made by the passes.
inline std::vector<std::string> levels_of(const std::string& tile_text) {
  const std::string thread = text_after(tile_text, "vectorize");
  return {tile_text, thread, text_after(thread, "")};
}

inline FuncRef read_kernel(const std::string& name, const std::string& text) {
  Diagnostics sink;
  FuncRef f = read_ir(name, text, sink);
  for (const Diagnostic& d : sink.all())
    fail(name.c_str(), static_cast<int>(d.span.line), d.message);
  return f;
}

/// A tensor with the values it was filled with, as doubles.
struct Tensor {
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
  std::vector<double> values;

  Tensor(DType d, std::vector<int64_t> s) : dtype(d), shape(std::move(s)) {
    bytes.assign(static_cast<size_t>(count() * tilelab::bytes(d)), 0xFF);
  }
  int64_t count() const {
    int64_t n = 1;
    for (int64_t e : shape) n *= e;
    return n;
  }
  void fill(sim::Random& random, double scale) {
    for (int64_t i = 0; i < count(); ++i) {
      double u = static_cast<double>(random.next() >> 11) * 0x1p-53;
      uint64_t b = encode_float(dtype, (2 * u - 1) * scale);
      std::memcpy(&bytes[static_cast<size_t>(i * tilelab::bytes(dtype))], &b,
                  static_cast<size_t>(tilelab::bytes(dtype)));
      values.push_back(decode_float(dtype, b));
    }
  }
  double at(int64_t i) const {
    uint64_t b = 0;
    std::memcpy(&b, &bytes[static_cast<size_t>(i * tilelab::bytes(dtype))],
                static_cast<size_t>(tilelab::bytes(dtype)));
    return decode_float(dtype, b);
  }
  sim::Argument argument() { return sim::tensor_argument(dtype, shape, bytes.data()); }
};

struct KernelRun {
  sim::RunResult result;
  double error =
      0;  // largest |got - want|, in units of the tolerance; NaN where a value is missing
  bool right() const { return error <= 1; }
};

inline void compare(KernelRun& run, const Tensor& out, const std::vector<double>& want,
                    const std::vector<double>& tolerance) {
  for (size_t i = 0; i < want.size(); ++i) {
    double e = std::abs(out.at(static_cast<int64_t>(i)) - want[i]) / tolerance[i];
    if (!(e <= run.error)) run.error = e;
    if (std::isnan(e)) return;
  }
}

inline KernelRun run_vector_add(const std::string& text, int64_t n, const sim::RunOptions& o) {
  sim::Random random(7);
  Tensor a(DType::f32, {n}), b(DType::f32, {n}), c(DType::f32, {n});
  a.fill(random, 8), b.fill(random, 8);
  KernelRun run;
  FuncRef f = read_kernel("vector_add", text);
  if (!f) return run;
  sim::Argument args[] = {a.argument(), b.argument(), c.argument()};
  run.result = sim::run(*f, args, o);
  std::vector<double> want, tolerance(static_cast<size_t>(n), 1e-300);
  for (int64_t i = 0; i < n; ++i)
    want.push_back(static_cast<float>(static_cast<float>(a.values[static_cast<size_t>(i)]) +
                                      static_cast<float>(b.values[static_cast<size_t>(i)])));
  compare(run, c, want, tolerance);
  return run;
}

inline KernelRun run_softmax(const std::string& text, int64_t m, const sim::RunOptions& o) {
  sim::Random random(8);
  Tensor x(DType::f32, {m, 512}), y(DType::f32, {m, 512});
  x.fill(random, 6);
  KernelRun run;
  FuncRef f = read_kernel("softmax", text);
  if (!f) return run;
  sim::Argument args[] = {x.argument(), y.argument()};
  run.result = sim::run(*f, args, o);
  std::vector<double> want, tolerance;
  for (int64_t r = 0; r < m; ++r) {
    double top = -INFINITY, sum = 0;
    for (int64_t i = 0; i < 512; ++i)
      top = std::max(top, x.values[static_cast<size_t>(r * 512 + i)]);
    for (int64_t i = 0; i < 512; ++i)
      sum += std::exp(x.values[static_cast<size_t>(r * 512 + i)] - top);
    for (int64_t i = 0; i < 512; ++i)
      want.push_back(std::exp(x.values[static_cast<size_t>(r * 512 + i)] - top) / sum);
  }
  for (double w : want) tolerance.push_back(2e-6 * w + 1e-12);
  compare(run, y, want, tolerance);
  return run;
}

/// A matrix product and its reference, within 2 eps_out |ref| + 4 K eps_acc (|A||B|).
struct Product {
  Tensor a, b;
  std::vector<double> want, tolerance;

  Product(int64_t m, int64_t n, int64_t k, bool b_transposed)
      : a(DType::f16, {m, k}),
        b(DType::f16, b_transposed ? std::vector{n, k} : std::vector{k, n}),
        want(static_cast<size_t>(m * n)),
        tolerance(want.size()) {
    sim::Random random(9);
    a.fill(random, 1), b.fill(random, 1);
    std::vector<double> magnitude(want.size());
    for (int64_t i = 0; i < m; ++i)
      for (int64_t p = 0; p < k; ++p)
        for (int64_t j = 0; j < n; ++j) {
          double v = a.values[static_cast<size_t>(i * k + p)] *
                     b.values[static_cast<size_t>(b_transposed ? j * k + p : p * n + j)];
          want[static_cast<size_t>(i * n + j)] += v;
          magnitude[static_cast<size_t>(i * n + j)] += std::abs(v);
        }
    for (size_t i = 0; i < want.size(); ++i)
      tolerance[i] =
          2 * 0x1p-11 * std::abs(want[i]) + 4 * static_cast<double>(k) * 0x1p-24 * magnitude[i];
  }
};

/// Depends on the sizes alone, so that the many runs of a removal test compute it once.
inline const Product& product_of(int64_t m, int64_t n, int64_t k, bool b_transposed) {
  static std::map<std::tuple<int64_t, int64_t, int64_t, bool>, Product> known;
  const std::tuple key(m, n, k, b_transposed);
  auto found = known.find(key);
  if (found == known.end()) found = known.try_emplace(key, m, n, k, b_transposed).first;
  return found->second;
}

inline KernelRun run_gemm(const std::string& text, int64_t m, int64_t n, int64_t k,
                          const sim::RunOptions& o, bool b_transposed = false) {
  const Product& product = product_of(m, n, k, b_transposed);
  Tensor a = product.a, b = product.b, c(DType::f16, {m, n});
  KernelRun run;
  FuncRef f = read_kernel("gemm", text);
  if (!f) return run;
  sim::Argument args[] = {a.argument(), b.argument(), c.argument()};
  run.result = sim::run(*f, args, o);
  compare(run, c, product.want, product.tolerance);
  return run;
}

/// Attention and its reference, [s, h, d] in row-major order.
struct Attention {
  Tensor q, k, v;
  std::vector<double> want;

  Attention(int64_t s, int64_t h, int64_t d, bool causal)
      : q(DType::f16, {1, s, h, d}), k(q), v(q), want(static_cast<size_t>(q.count())) {
    sim::Random random(10);
    q.fill(random, 2), k.fill(random, 2), v.fill(random, 1);
    for (int64_t head = 0; head < h; ++head)
      for (int64_t i = 0; i < s; ++i) attend(head, i, causal ? i + 1 : s);
  }

 private:
  /// Query `i` of a head, over the first `keys` keys.
  void attend(int64_t head, int64_t i, int64_t keys) {
    const int64_t h = q.shape[2], d = q.shape[3];
    auto row = [&](auto& values, int64_t at) { return values.data() + (at * h + head) * d; };
    std::vector<double> p;
    double top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      double dot = 0;
      const double *a = row(q.values, i), *b = row(k.values, j);
      for (int64_t x = 0; x < d; ++x) dot += a[x] * b[x];
      p.push_back(dot / std::sqrt(static_cast<double>(d)));
      top = std::max(top, p.back());
    }
    for (double& x : p) sum += x = std::exp(x - top);
    double* out = row(want, i);
    for (int64_t j = 0; j < keys; ++j) {
      const double *b = row(v.values, j), weight = p[static_cast<size_t>(j)] / sum;
      for (int64_t x = 0; x < d; ++x) out[x] += weight * b[x];
    }
  }
};

/// Depends on the sizes alone, like product_of.
inline const Attention& attention_of(int64_t s, int64_t h, int64_t d, bool causal) {
  static std::map<std::tuple<int64_t, int64_t, int64_t, bool>, Attention> known;
  const std::tuple key(s, h, d, causal);
  auto found = known.find(key);
  if (found == known.end()) found = known.try_emplace(key, s, h, d, causal).first;
  return found->second;
}

inline KernelRun run_attention(const std::string& text, int64_t s, int64_t h,
                               const sim::RunOptions& o, bool causal = false, int64_t d = 128) {
  const Attention& attention = attention_of(s, h, d, causal);
  Tensor q = attention.q, k = attention.k, v = attention.v, out(DType::f16, {1, s, h, d});
  KernelRun run;
  FuncRef f = read_kernel("attention", text);
  if (!f) return run;
  sim::Argument args[] = {q.argument(), k.argument(), v.argument(), out.argument()};
  run.result = sim::run(*f, args, o);
  compare(run, out, attention.want, std::vector<double>(attention.want.size(), 2e-3));
  return run;
}

inline std::string describe(const sim::RunResult& r) {
  std::string s = r.error.empty() ? ""
                                  : "refused: " + r.error + " (line " +
                                        std::to_string(r.error_span.line) + ")\n";
  for (const sim::Finding& f : r.findings) {
    s += std::string(sim::finding_name(f.kind)) + " " + f.buffer + f.element + " x" +
         std::to_string(f.count) + " " + f.detail + "\n";
    for (const sim::FindingSide& w : f.where)
      s += "      line " + std::to_string(w.span.line) + ": " + w.actor + " " + w.verb + "\n";
  }
  return s;
}

}  // namespace tilelab::test
