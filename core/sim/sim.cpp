// SPDX-License-Identifier: Apache-2.0
// The host section of a simulated call: binds dims, checks arguments, allocates workspaces, creates
// tensor maps and launches kernels.
#include "core/sim/sim.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <unordered_map>

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/fold.h"
#include "core/ir/intrinsics/copied_elements.h"
#include "core/ir/traverse.h"
#include "core/sim/host_value.h"
#include "core/sim/indices.h"
#include "core/sim/machine/machine.h"
#include "core/sim/unwritten.h"
#include "core/support/extents.h"
#include "core/support/interrupt.h"
#include "core/targets/target.h"

namespace tilelab::sim {

const char* status_name(RunResult::Status status) {
  switch (status) {
    case RunResult::Status::finished: return "finished";
    case RunResult::Status::stopped: return "stopped";
    case RunResult::Status::interrupted: return "interrupted";
    case RunResult::Status::refused: return "refused";
  }
  UNREACHABLE("a status");
}

Argument scalar_argument(DType dtype, uint64_t bits) {
  Argument a;
  a.dtype = dtype, a.bits = bits;
  return a;
}

Argument tensor_argument(DType dtype, std::vector<int64_t> shape, void* data) {
  Argument a;
  a.tensor = true;
  a.dtype = dtype;
  a.shape = std::move(shape);
  a.data = data;
  return a;
}

Argument argument_of(const host::Value& value) {
  Argument a{value.tensor, value.dtype, value.bits, value.data, {}, {}, value.bytes, value.fresh};
  a.shape.assign(value.shape, value.shape + value.rank);
  a.strides.assign(value.strides, value.strides + value.rank);
  return a;
}

namespace {

host::TensorMemory memory_of(const void* data, DType dtype, const std::vector<int64_t>& shape,
                             const std::vector<int64_t>& strides) {
  return {data, bytes(dtype), bytes(dtype), shape, strides};
}

int64_t reach(const GlobalMemory& m) {
  return host::reach(memory_of(m.data, m.dtype, m.shape, m.strides));
}

std::vector<int64_t> strides_of(const Argument& tensor) {
  return tensor.strides.empty() ? row_major_strides(tensor.shape) : tensor.strides;
}

}  // namespace

bool overlap(const Argument& a, const Argument& b) {
  if (!a.tensor || !b.tensor) return false;
  const std::vector<int64_t> of_a = strides_of(a), of_b = strides_of(b);
  return host::overlap(memory_of(a.data, a.dtype, a.shape, of_a),
                       memory_of(b.data, b.dtype, b.shape, of_b));
}

namespace {

/// Rejects operations that the function's target lacks.
void refuse_foreign(const Func& func) {
  const Target* target = find_target(func.target);
  if (!target) return;
  for_each(*func.body, [&](const Call& call) {
    const Feature needs = needed(call.intrinsic, func.level);
    if (!target->has(needs))
      throw LaunchError{call.span, "`" + std::string(name(call.intrinsic)) +
                                       "` is not available on " + func.target + ": " +
                                       reason_without(needs)};
  });
}

class Host {
 public:
  using Launcher = FunctionRef<void(const Launch&, RunResult&)>;

  Host(const Func& func, std::span<const Argument> arguments, bool watched, const Sample* sample,
       Launcher launcher, RunResult& result)
      : func_(func),
        arguments_(arguments),
        watched_(watched),
        sample_(sample),
        launcher_(launcher),
        result_(result) {}

  void run() {
    bind_parameters();
    if (func_.body) stmt(func_.body);
    check_workspaces();
    check_outputs();
  }

 private:
  [[noreturn]] void refuse(const Node& node, std::string what) const {
    throw LaunchError{node.span, std::move(what)};
  }

  /// The expression with known names replaced by their values, folded.
  Expr evaluated(const Expr& e) const {
    return rewrite(e, [&](const Expr& x) -> Expr {
      if (const Name* n = as<Name>(x)) {
        auto it = names_.find(n->id);
        return it == names_.end() ? x : constant({it->second.dtype, 1}, it->second.bits);
      }
      return folded(x);
    });
  }
  int64_t number(const Expr& e) const {
    Expr x = evaluated(e);
    auto value = int_value(x);
    if (!value) refuse(*e, "the host section cannot compute this value");
    return *value;
  }
  /// Evaluates in 64 bits, so that extents beyond 32 bits are diagnosed instead of wrapping.
  static Expr widened(const Expr& e) {
    return rewrite(e, [](const Expr& x) -> Expr {
      if (const Bin* b = as<Bin>(x)) return binary(b->op, b->a, b->b);
      if (const Call* c = as<Call>(x)) return call(c->intrinsic, {DType::i64}, c->args, c->attrs);
      if (const Cast* c = as<Cast>(x)) return cast(DType::i64, c->a);
      if (const Select* c = as<Select>(x)) return select(c->cond, c->a, c->b);
      return x->type.scalar() && is_integer(x->type.dtype) ? cast(DType::i64, x) : x;
    });
  }
  std::vector<int64_t> numbers(const std::vector<Expr>& es) const {
    std::vector<int64_t> v;
    for (const Expr& e : es) v.push_back(number(e));
    return v;
  }

  /// Whether the function writes the tensor and reads it through no name.
  bool only_written(Symbol name, size_t number) const {
    if (func_.level == Level::tile) return false;
    for (size_t i = 0; i < arguments_.size(); ++i)
      if (i != number && overlap(arguments_[i], arguments_[number])) return false;
    return touched_.written.count(name) != 0 && touched_.read.count(name) == 0;
  }

  void bind_parameters() {
    if (watched_) touched_ = touched(*func_.body);
    if (arguments_.size() != func_.params.size())
      throw LaunchError{func_.span, func_.name.str() + " takes " +
                                        std::to_string(func_.params.size()) + " arguments, " +
                                        std::to_string(arguments_.size()) + " given"};
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const Param& p = to<Param>(func_.params[i]);
      const Argument& a = arguments_[i];
      if (a.tensor != static_cast<bool>(p.tensor))
        refuse(p, p.name.str() + (p.tensor ? " is a tensor" : " is a scalar"));
      if (!p.tensor) {
        if (a.dtype != p.dtype)
          refuse(p, p.name.str() + ": " + name(p.dtype) + " expected, not " + name(a.dtype));
        names_[p.name] = {a.dtype, a.bits};
        continue;
      }
      GlobalMemory m{p.name, a.dtype, static_cast<uint8_t*>(a.data), a.bytes, a.shape, a.strides};
      if (m.strides.empty()) m.strides = row_major_strides(m.shape);
      if (m.strides.size() != m.shape.size())
        refuse(p, p.name.str() + ": one stride per dimension expected");
      for (size_t d = 0; d < m.shape.size(); ++d)
        if (m.strides[d] < 0 && m.shape[d] > 1) refuse(p, p.name.str() + ": negative strides");
      if (m.bytes == 0) m.bytes = reach(m);
      const Buffer& b = to<Buffer>(p.tensor);
      if (m.dtype != b.dtype)
        refuse(p, p.name.str() + ": " + name(b.dtype) + " expected, not " + name(m.dtype));
      if (m.shape.size() != b.shape.size())
        refuse(p, p.name.str() + ": " + std::to_string(b.shape.size()) +
                      " dimensions expected, not " + std::to_string(m.shape.size()));
      if (m.bytes < reach(m)) refuse(p, p.name.str() + ": its memory is too small for its shape");
      if (watched_ && (a.fresh || only_written(p.name, i))) m.written = unwritten(m.bytes);
      parameters_[p.name] = memories_.size();
      memories_.push_back(std::move(m));
    }
  }

  /// Marks of uninitialized memory. Zero pages of the system are allocated on first write, and the
  /// blocks of a sample touch few of them.
  uint8_t* unwritten(int64_t bytes) {
    marks_.emplace_back(static_cast<uint8_t*>(std::calloc(size_t(bytes + 1), 1)));
    if (!marks_.back()) throw std::bad_alloc();
    return marks_.back().get();
  }

  void stmt(const Stmt& s) {
    switch (s->kind) {
      case Kind::Seq:
        for (const Stmt& x : to<Seq>(s).stmts) {
          if (result_.status != RunResult::Status::finished) return;
          stmt(x);
        }
        return;
      case Kind::Bind: return bind(to<Bind>(s));
      case Kind::CheckTensor: return check_tensor(to<CheckTensor>(s));
      case Kind::Check:
        if (number(to<Check>(s).cond) == 0) refuse(*s, to<Check>(s).message);
        return;
      case Kind::Workspace: return workspace(to<Workspace>(s));
      case Kind::TensorMap: return tensor_map(to<TensorMap>(s));
      case Kind::Source: return;  // models of its functions run
      case Kind::Let: {
        Expr value = evaluated(to<Let>(s).value);
        const Const* c = as<Const>(value);
        if (!c) refuse(*s, "the host section cannot compute this value");
        names_[to<Let>(s).name] = {c->type.dtype, c->bits};
        return;
      }
      case Kind::Kernel: return launch(to<Kernel>(s));
      default: refuse(*s, std::string(name(s->kind)) + " is not valid in a host section");
    }
  }

  const GlobalMemory& memory(const Node& at, Symbol name) const {
    auto it = parameters_.find(name);
    if (it == parameters_.end()) refuse(at, name.str() + " is not a tensor of this function");
    return memories_[it->second];
  }

  void bind(const Bind& n) {
    const GlobalMemory& m = memory(n, n.buffer);
    if (n.dim < 0 || n.dim >= int64_t(m.shape.size()))
      refuse(n, n.buffer.str() + " has " + std::to_string(m.shape.size()) +
                    " dimensions, but no dimension " + std::to_string(n.dim));
    const std::vector<int64_t>& given = n.stride ? m.strides : m.shape;
    int64_t value = (given[size_t(n.dim)] * n.per - n.plus) / n.times;
    DType dtype = DType::i32;
    for (const Stmt& s : func_.dims) {
      const Dim& d = to<Dim>(s);
      if (d.name != n.name) continue;
      dtype = d.dtype;
      if (value < d.lo || value > d.hi || (d.multiple > 0 && value % d.multiple != 0))
        refuse(n, d.name.str() + " = " + std::to_string(value) + " (from " + n.buffer.str() +
                      ") must be in [" + std::to_string(d.lo) + ", " + std::to_string(d.hi) +
                      "] and be a multiple of " + std::to_string(d.multiple));
    }
    names_[n.name] = {dtype, uint64_t(value)};
  }

  void check_tensor(const CheckTensor& n) {
    const GlobalMemory& m = memory(n, n.buffer);
    const Buffer& b = parameter(n.buffer);
    std::vector<int64_t> shape = numbers(b.shape);
    if (m.shape != shape)
      refuse(n, n.buffer.str() + ": shape " + index_text(shape) + " expected, not " +
                    index_text(m.shape));
    std::vector<int64_t> strides =
        b.strides.empty() ? row_major_strides(shape) : numbers(b.strides);
    for (size_t i = 0; i < shape.size(); ++i)
      if (shape[i] > 1 && m.bytes > 0 && m.strides[i] != strides[i])
        refuse(n, n.buffer.str() + ": strides " + index_text(strides) + " expected, not " +
                      index_text(m.strides));
    if (m.data == nullptr && m.bytes > 0) refuse(n, n.buffer.str() + ": no memory");
  }

  const Buffer& parameter(Symbol name) const {
    for (const Stmt& s : func_.params)
      if (to<Param>(s).name == name) return to<Buffer>(to<Param>(s).tensor);
    throw LaunchError{func_.span, name.str() + " is not a parameter"};
  }

  void workspace(const Workspace& n) {
    const Buffer& b = to<Buffer>(n.buffer);
    GlobalMemory m{b.name, b.dtype, nullptr, 0, numbers(b.shape), {}};
    m.strides = b.strides.empty() ? row_major_strides(m.shape) : numbers(b.strides);
    m.bytes = reach(m);
    storage_.emplace_back(size_t(m.bytes + 64), n.zeroed ? uint8_t{0} : uint8_t{0xFF});
    m.data = storage_.back().data();
    if (!n.zeroed) m.written = unwritten(m.bytes);
    if (n.zeroed) zeroed_.push_back({&n, memories_.size()});
    parameters_[b.name] = memories_.size();
    memories_.push_back(std::move(m));
  }

  void tensor_map(const TensorMap& n) {
    const GlobalMemory& m = memory(n, n.buffer);
    HostMap map;
    map.name = n.name;
    map.memory = int32_t(&m - memories_.data());
    map.dims = numbers(n.dims);
    map.dtype = n.element(m.dtype), map.strides = {bytes(map.dtype)};
    for (int64_t s : numbers(n.strides)) map.strides.push_back(s);
    map.box = n.box;
    map.swizzle = n.swizzle;
    maps_.push_back(std::move(map));
  }

  void launch(const Kernel& k) {
    Launch l{func_, k, {1, 1, 1}, memories_, {}, maps_};
    for (size_t i = 0; i < k.grid.size() && i < 3; ++i) l.grid[i] = number(widened(k.grid[i]));
    for (auto& entry : names_) l.scalars.push_back(entry);
    const Target* target = find_target(func_.target);
    const std::string grid = "the grid is " + std::to_string(l.grid[0]) + "x" +
                             std::to_string(l.grid[1]) + "x" + std::to_string(l.grid[2]) + ": ";
    for (size_t axis = 0; axis < 3; ++axis) {
      const int64_t most = axis && target ? target->max_grid_yz : INT32_MAX;
      if (l.grid[axis] > 0 && l.grid[axis] <= most) continue;
      refuse(k, grid + (l.grid[axis] <= 0 ? "a launch needs at least one block"
                                          : "a launch has at most " + std::to_string(most) +
                                                " blocks along " + "xyz"[axis]));
    }
    if (!ClusterShape(k, l.grid).fits()) refuse(k, grid + "a launch has whole clusters");
    result_.threads = std::max(result_.threads, k.block);
    const int64_t blocks = l.grid[0] * l.grid[1] * l.grid[2];
    result_.all_blocks += sample_ ? int64_t(sample_->blocks.size()) : blocks;
    if (sample_) result_.proved += blocks;
    launcher_(l, result_);
  }

  void check_workspaces() {
    if (result_.status != RunResult::Status::finished) return;
    for (auto& [node, index] : zeroed_) {
      const GlobalMemory& m = memories_[index];
      const uint8_t* bad = std::find_if(m.data, m.data + m.bytes, [](uint8_t b) { return b != 0; });
      if (bad == m.data + m.bytes) continue;
      Finding f{.kind = FindingKind::not_zeroed,
                .buffer = m.name.str(),
                .element = "byte " + std::to_string(bad - m.data)};
      f.where.push_back({node->span, "the kernel", "leaves a nonzero value"});
      result_.findings.push_back(std::move(f));
    }
  }

  /// Fresh arguments must be written completely; of others the unwritten elements are reported.
  /// (Tile level does not track global memory for this.)
  void check_outputs() {
    if (!watched_ || func_.level == Level::tile) return;
    bool all =
        result_.status == RunResult::Status::finished && result_.blocks == result_.all_blocks;
    for (size_t i = 0; all && i < arguments_.size(); ++i) {
      const Param& param = to<Param>(func_.params[i]);
      if (!arguments_[i].tensor) continue;
      const GlobalMemory& m = memories_[parameters_.at(param.name)];
      if (!m.written) continue;
      Unwritten missing = unwritten_of(m, sample_);
      if (missing.count > 0 && arguments_[i].fresh) unwritten_output(param, missing);
      if (missing.count > 0 && !arguments_[i].fresh)
        result_.unwritten.push_back(std::move(missing));
    }
  }

  void unwritten_output(const Param& param, const Unwritten& missing) {
    Finding f{.kind = FindingKind::unwritten,
              .buffer = param.name.str(),
              .element = index_text(missing.first)};
    f.detail =
        missing.count == missing.elements
            ? "the kernel writes none of its " + std::to_string(missing.elements) + " elements"
            : std::to_string(missing.count) + " of " + std::to_string(missing.elements) +
                  " elements";
    Span declared = param.tensor->span.known() ? param.tensor->span : param.span;
    f.where.push_back({declared, "", "declares " + f.buffer});
    const bool none = missing.count == missing.elements;
    for (const Span& span : stores_of(func_, param.name))
      f.related.push_back({span, "", none ? "could write it" : "writes the others"});
    result_.findings.push_back(std::move(f));
  }

  const Func& func_;
  std::span<const Argument> arguments_;
  bool watched_;          // for reads of uninitialized memory
  const Sample* sample_;  // of the blocks, if not all run
  Touched touched_;
  Launcher launcher_;
  RunResult& result_;
  std::unordered_map<Symbol, HostScalar> names_;
  std::unordered_map<Symbol, size_t> parameters_;
  std::vector<GlobalMemory> memories_;
  std::vector<HostMap> maps_;
  struct Free {
    void operator()(uint8_t* memory) const { std::free(memory); }
  };
  std::deque<std::vector<uint8_t>> storage_;
  std::vector<std::unique_ptr<uint8_t, Free>> marks_;
  std::vector<std::pair<const Workspace*, size_t>> zeroed_;
};

void run_host(const Func& func, std::span<const Argument> arguments, bool watched,
              const Sample* sample, RunResult& result,
              FunctionRef<void(const Launch&, RunResult&)> launch) {
  try {
    refuse_foreign(func);
    Host(func, arguments, watched, sample, launch, result).run();
  } catch (const LaunchError& r) {
    result.status = RunResult::Status::refused;
    result.error = r.what;
    result.error_span = r.span;
  }
}

}  // namespace

RunResult run_host(const Func& func, std::span<const Argument> arguments,
                   FunctionRef<void(const Launch&, RunResult&)> launch) {
  RunResult result;
  run_host(func, arguments, false, nullptr, result, launch);
  return result;
}

namespace {

int64_t now(Deadline::Clock clock) {
  timespec at{};
  clock_gettime(clock == Deadline::Clock::thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &at);
  return int64_t{at.tv_sec} * 1'000'000'000 + at.tv_nsec;
}

}  // namespace

Deadline::Deadline(double seconds, Clock clock)
    : at_(seconds > 0 ? now(clock) + int64_t(seconds * 1e9) : 0), clock_(clock) {}

bool Deadline::passed() const { return at_ != 0 && now(clock_) > at_; }

int workers_of(const RunOptions& options) {
  // Queried once: the system reads a file, which takes longer than a tiny kernel.
  static const int cores = int(std::max(1u, std::thread::hardware_concurrency()));
  return options.threads > 0 ? options.threads : cores;
}

namespace {

/// Whether the next launch runs; with `options.trace`, only the traced block of it does.
bool traces_launch(Trace& trace, RunOptions& options) {
  const int64_t number = trace.launches++;
  options.trace = number == trace.launch ? &trace : nullptr;
  return number <= trace.launch;
}

}  // namespace

RunResult run(const Func& func, std::span<const Argument> arguments, const RunOptions& options) {
  RunOptions resolved = options;
  resolved.threads = workers_of(options);
  RunResult result;
  InterruptScope scope(
      options.interrupt);  // covers the compilation from IR to the simulator's program
  try {
    std::optional<NotFiniteWatch> numbers;
    if (options.not_finite) numbers.emplace(func, arguments, resolved.threads, options.sample);
    run_host(func, arguments, options.watch.uninitialized, options.sample, result,
             [&](const Launch& launch, RunResult& made) {
               if (options.trace && !traces_launch(*options.trace, resolved)) return;
               if (func.level == Level::tile)
                 run_tile_launch(launch, resolved, made);
               else
                 run_thread_launch(launch, resolved, made);
             });
    // Outputs of skipped blocks keep their old contents.
    if (numbers && result.status == RunResult::Status::finished &&
        result.blocks == result.all_blocks)
      result.not_finite = numbers->found();
    join_origins(result);
  } catch (const Cancelled&) {
    result.status = RunResult::Status::interrupted;
  }
  if (options.trace)  // results that only a complete run has
    std::erase_if(result.findings, [](const Finding& f) {
      return f.kind == FindingKind::not_zeroed || f.kind == FindingKind::unwritten;
    });
  return result;
}

}  // namespace tilelab::sim
