// SPDX-License-Identifier: Apache-2.0
// Func.run_logged: a run that records the writers of watched elements and the writes of each
// statement of a block. Comparison of two snapshots.
#include <cmath>
#include <cstring>

#include "core/ir/traverse.h"
#include "core/passes/pass.h"
#include "core/sim/write_log.h"
#include "core/syntax/parser.h"
#include "python/compilation.h"
#include "python/runs.h"

namespace tilelab::python {
namespace {

/// The distance from 1 to the next number of a floating-point kind.
double epsilon(DType dtype) {
  const uint64_t one = encode_float(dtype, 1);
  return decode_float(dtype, one + 1) - 1;
}

Object value_dict(const sim::LoggedValue& v) {
  const sim::MemoryPlace& p = v.place;
  return dict_of("buffer", v.buffer.str(), "scope", v.scope, "element", v.element, "place",
                 tuple_of(p.tensor.str(), p.byte, p.launch, p.block), "dtype",
                 tilelang_name(v.dtype), "bits", v.bits, "value", number_object(v.dtype, v.bits),
                 "outside", v.outside, "role", v.role);
}

/// The source location of a statement, its line, and its mark in IR text without the column.
Object marked_line(const Span& span) {
  Object out = line_of(span);
  const std::string mark = syntax::origin_text(span);
  set(out, "mark", mark.substr(0, mark.rfind(':')));
  return out;
}

Object write_dict(const sim::LoggedWrite& w) {
  return dict_of("when", w.when, "launch", w.launch, "number", w.number, "block", w.block, "span",
                 marked_line(w.span), "how", w.how, "actor", w.actor, "to", value_dict(w.to), "of",
                 list_of(w.of, value_dict));
}

/// `cells`: (byte, count, hash, last value) of each, packed as "<qqQQ".
Object statement_dict(const sim::WrittenBy& by) {
  std::vector<uint64_t> cells;
  for (const auto& [byte, cell] : by.cells)
    for (const uint64_t word :
         {static_cast<uint64_t>(byte), static_cast<uint64_t>(cell.count), cell.hash, cell.last})
      cells.push_back(word);
  auto visit = [](const auto& one) { return tuple_of(one.when, one.hash); };
  return dict_of("span", marked_line(by.span), "buffer", by.buffer.str(), "dtype",
                 tilelang_name(by.dtype), "global", by.global, "cells",
                 bytes_object(cells.data(), cells.size() * sizeof(uint64_t)), "visits",
                 list_of(by.visits, visit));
}

/// (tensor, byte, launch, block, until): the writes to watch before a moment; until < 0: all.
using Watched = std::tuple<std::string, int64_t, int64_t, int64_t, int64_t>;

/// (result, [(count, [writes])] for each watched location, [statements]). `statements`: the launch
/// and block whose writes to record. Without `block`, or if it is
/// negative, all blocks run.
Object run_logged(const FuncObject& self, const std::vector<sim::Argument>& arguments,
                  const std::vector<Watched>& watched,
                  std::optional<std::pair<int64_t, int64_t>> statements,
                  std::optional<int64_t> block, const Object& progress) {
  sim::WriteLog log;
  for (const auto& [tensor, byte, launch, number, until] : watched) {
    sim::WatchedPlace one{{tensor.empty() ? Symbol() : Symbol(tensor), byte, launch, number}};
    if (until >= 0) one.until = until;
    log.watched.push_back(one);
  }
  log.statements = statements.has_value();
  if (statements) std::tie(log.launch, log.block) = *statements;
  sim::Sample sample;
  const int64_t alone = block.value_or(-1);
  if (alone >= 0) sample.blocks = {alone};
  sim::RunOptions options;
  options.log = &log;
  options.threads = 1;
  if (alone >= 0) options.sample = &sample;
  Object result = served_run(arguments, options, progress, [&](auto given, const auto& chosen) {
    return sim::run(*self.func, given, chosen);
  });
  auto seen = [](const auto& one) { return tuple_of(one.count, list_of(one.last, write_dict)); };
  return tuple_of(result, list_of(log.seen, seen), list_of(log.written, statement_dict));
}

int64_t kernels_of(const FuncObject& self) {
  int64_t count = 0;
  for_each_of_host(*self.func, [&](const Kernel&) { ++count; });
  return count;
}

/// Whether the pass of the function's name may change the bits of results.
bool reassociated(const FuncObject& after, const FuncObject& before) {
  const PassInfo* pass = find_pass(after.func->after);
  return pass && has_reassociated(*pass, *before.func, *after.func);
}

/// The difference of two memories of one dtype: (count, index of the first element, both values),
/// or None. Floats may differ by `ulps` of the largest magnitude; 0: bitwise, except for NaN.
Object differ(const std::string& name, const std::string& a, const std::string& b, double ulps) {
  const auto dtype = dtype_from_name(name);
  if (!dtype || a.size() != b.size())
    throw_error(PyExc_ValueError, "memories to compare need the same dtype and size");
  const auto width = static_cast<size_t>(bytes(*dtype));
  auto bits = [&](const std::string& from, size_t at) {
    uint64_t out = 0;
    std::memcpy(&out, from.data() + at, width);
    return out;
  };
  double largest = 0;
  for (size_t at = 0; is_float(*dtype) && ulps > 0 && at + width <= a.size(); at += width)
    if (double x = std::fabs(decode_float(*dtype, bits(a, at))); std::isfinite(x))
      largest = std::max(largest, x);
  const double slack = is_float(*dtype) ? ulps * epsilon(*dtype) * largest : 0;
  int64_t count = 0, first = -1;
  for (size_t at = 0; at + width <= a.size(); at += width) {
    const uint64_t u = bits(a, at), v = bits(b, at);
    if (u == v) continue;
    if (is_float(*dtype)) {
      const double x = decode_float(*dtype, u), y = decode_float(*dtype, v);
      if ((std::isnan(x) && std::isnan(y)) || (ulps > 0 && std::fabs(x - y) <= slack)) continue;
    }
    if (count++ == 0) first = static_cast<int64_t>(at / width);
  }
  if (!count) return none();
  const size_t at = static_cast<size_t>(first) * width;
  return tuple_of(count, first, number_object(*dtype, bits(a, at)),
                  number_object(*dtype, bits(b, at)));
}

Object number_of_bits(const std::string& dtype, uint64_t bits) {
  return number_object(dtype_from_name(dtype).value(), bits);
}

FuncObject uncontracted(const FuncObject& f) {
  return {without_contraction(f.func), f.said, f.from_text};
}

}  // namespace

void bind_log(const Object& module, Members& func) {
  add_functions(module, {function<differ>("differ", "dtype, a, b, ulps?"),
                         function<number_of_bits>("number", "dtype, bits")});
  func.insert(
      func.end(),
      {method<run_logged>("run_logged", "arguments, watched?, statements?, block?, progress?"),
       property<kernels_of>("kernels"), method<reassociated>("reassociated", "before"),
       method<uncontracted>("without_contraction")});
}

}  // namespace tilelab::python
