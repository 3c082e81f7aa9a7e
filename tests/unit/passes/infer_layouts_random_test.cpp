// SPDX-License-Identifier: Apache-2.0
// Random kernels through infer_layouts; the result is held against its promise, element by element:
// the thread of an iteration holds the elements that it reads, and all holders of an element write
// it.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "core/diagnostics/render.h"
#include "core/ir/build.h"
#include "core/ir/text/print.h"
#include "core/ir/traverse.h"
#include "core/layout/text.h"
#include "core/passes/pass.h"
#include "core/passes/shared/reduce_plan.h"
#include "core/sim/sim.h"
#include "core/targets/target.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

int64_t value_of(const Expr& e, const std::vector<Symbol>& vars, const Index& point) {
  if (auto value = int_value(e)) return *value;
  if (const Name* name = as<Name>(e)) {
    auto found = std::find(vars.begin(), vars.end(), name->id);
    CHECK(found != vars.end(), name->id.str());
    return point[found - vars.begin()];
  }
  const Bin& bin = to<Bin>(e);
  int64_t a = value_of(bin.a, vars, point), b = value_of(bin.b, vars, point);
  switch (bin.op) {
    case BinOp::add: return a + b;
    case BinOp::mul: return a * b;
    case BinOp::floordiv: return a / b;
    case BinOp::floormod: return a % b;
    default: UNREACHABLE("not made here");
  }
}

struct Access {
  Symbol buffer;
  std::vector<Expr> index;
  bool write;
};

/// Holds a kernel against the promise; "" or what is broken.
class Judge {
 public:
  Judge(const FuncRef& func, int64_t threads) : table_(buffers_of(*func)), threads_(threads) {
    for (auto& [name, buffer] : table_)
      if (buffer->scope == Scope::fragment) fragment(*buffer);
    walk(*func, [&](const Node& node) {
      if (const Parallel* loop = as<Parallel>(&node)) parallel(*loop);
      if (const Copy* copy = as<Copy>(&node)) this->copy(*copy);
      if (const Reduce* reduce = as<Reduce>(&node)) this->reduce(*reduce);
      return true;
    });
  }
  std::string broken;

 private:
  void expect(bool good, const std::string& what) {
    if (!good && broken.empty()) broken = what;
  }

  void fragment(const Buffer& buffer) {
    const Layout& layout = buffer.layout;
    expect(layout.known() && well_formed(layout) && layout.shape == const_shape(buffer),
           buffer.name.str() + ": no layout");
    if (!broken.empty()) return;
    expect(injective(layout) && extent(layout, 't') <= threads_,
           buffer.name.str() + ": " + to_text(layout));
    expect(decoding(layout, 't').has_value(),
           buffer.name.str() + " can't be decoded: " + to_text(layout));
  }

  void loop(const Layout& layout, const std::vector<Symbol>& vars, const Index& extents,
            const std::vector<Access>& accesses) {
    expect(layout.known() && layout.shape == extents && injective(layout) &&
               extent(layout, 't') <= threads_,
           "loop map " + to_text(layout));
    expect(decoding(layout, 't').has_value(), "loop map can't be decoded");
    if (!broken.empty()) return;
    for (const Access& access : accesses) {
      const Buffer& buffer = *table_.at(access.buffer);
      if (buffer.scope != Scope::fragment) continue;
      Index point(extents.size(), 0);
      do {
        Index element, runs = threads_of(layout, point);
        for (const Expr& e : access.index) element.push_back(value_of(e, vars, point));
        Index holds = threads_of(buffer.layout, element);
        bool good = access.write
                        ? runs == holds
                        : std::includes(holds.begin(), holds.end(), runs.begin(), runs.end());
        expect(good, buffer.name.str() + (access.write ? " written" : " read") + ": loop " +
                         to_text(layout) + ", fragment " + to_text(buffer.layout));
      } while (broken.empty() && advance(point, extents));
    }
  }

  void parallel(const Parallel& p) {
    Index extents;
    for (const Expr& e : p.extents) extents.push_back(*int_value(e));
    std::vector<Access> accesses;
    walk(*p.body, [&](const Node& node) {
      if (const Load* load = as<Load>(&node))
        accesses.push_back({load->buffer, load->index, false});
      if (const Store* store = as<Store>(&node)) {
        accesses.push_back({store->buffer, {}, true});
        for (const RegionDim& d : store->dims) accesses.back().index.push_back(d.lo);
      }
      return true;
    });
    loop(p.layout, p.vars, extents, accesses);
  }

  void copy(const Copy& c) {
    std::vector<Symbol> vars;
    Index extents;
    std::vector<Access> accesses;
    for (const Expr& side : {c.dst, c.src}) {
      const Region& r = to<Region>(side);
      accesses.push_back({r.buffer, {}, side.same(c.dst)});
      size_t next = 0;
      for (const RegionDim& d : r.dims) {
        if (d.extent == 1) {
          accesses.back().index.push_back(d.lo);
          continue;
        }
        if (next == vars.size())
          vars.push_back("v" + std::to_string(next)), extents.push_back(d.extent);
        accesses.back().index.push_back(add(d.lo, name_ref(vars[next++])));
      }
    }
    if (!extents.empty()) loop(c.layout, vars, extents, accesses);
  }

  void reduce(const Reduce& r) {
    const Buffer &src = *table_.at(to<Region>(r.src).buffer),
                 &dst = *table_.at(to<Region>(r.dst).buffer);
    expect(src.scope == Scope::fragment && dst.scope == Scope::fragment,
           "reduction outside fragments");
    if (!broken.empty()) return;
    std::map<Index, std::set<int64_t>> takes_part;
    bool keep = dst.layout.shape.size() == src.layout.shape.size();
    Index full = src.layout.shape;
    for (size_t d = 0; d < full.size(); ++d)  // threads of the padding take part, too
      if (std::count(r.dims.begin(), r.dims.end(), int64_t(d)))
        full[d] = capacity(src.layout.dims[d]);
    Index point(full.size(), 0);
    do {
      Index element;
      for (size_t d = 0; d < point.size(); ++d)
        if (!std::count(r.dims.begin(), r.dims.end(), int64_t(d)))
          element.push_back(point[d]);
        else if (keep)
          element.push_back(0);
      if (element.empty()) element = {0};
      for (int64_t t : threads_of(src.layout, point)) takes_part[element].insert(t);
    } while (advance(point, full));
    for (auto& [element, threads] : takes_part)
      expect(threads_of(dst.layout, element) == Index(threads.begin(), threads.end()),
             "reduction " + to_text(src.layout) + " -> " + to_text(dst.layout));
    expect(bool(r.workspace) == plan_reduce(src.layout, r.dims, 32, threads_).needs_workspace(),
           "workspace");
  }

  BufferTable table_;
  int64_t threads_;
};

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  /// `runs`: fragments begin with values and end in tensors, so that results can be compared.
  FuncRef make_func(int64_t& threads, bool runs = false) {
    threads = std::vector<int64_t>{32, 96, 128, 256}[below(4)];
    rows_ = extent(), cols_ = extent();
    for (int i = 0; i < 3; ++i) declare({rows_, cols_}, Scope::fragment);
    declare({rows_}, Scope::fragment), declare({rows_}, Scope::fragment),
        declare({cols_, rows_}, Scope::fragment);
    declare({rows_, cols_}, Scope::shared), declare({rows_, cols_}, Scope::global);
    if (runs) begin();
    for (int64_t n = 2 + below(6); n-- > 0;) statement();
    if (runs) end();
    Kernel kernel;
    kernel.name = "k", kernel.block = threads;
    kernel.grid = {int_const(1), int_const(1), int_const(1)};
    kernel.body = seq(stmts_);
    Func func;
    func.name = "f", func.params = params_;
    func.body = seq({make(std::move(kernel))});
    return make(std::move(func));
  }

 private:
  int64_t below(int64_t n) { return int64_t(random_() % uint64_t(n)); }
  int64_t extent() { return std::vector<int64_t>{1, 2, 3, 5, 8, 16, 24, 32, 48, 64}[below(10)]; }

  void declare(const Index& shape, Scope scope, std::optional<DType> dtype = {}) {
    Buffer b;
    b.name = "b" + std::to_string(buffers_.size()), b.scope = scope;
    b.dtype = dtype ? *dtype : below(3) ? DType::f32 : DType::f16;
    for (int64_t e : shape) b.shape.push_back(int_const(e));
    if (scope == Scope::global) {
      Param p;
      p.name = b.name, p.dtype = b.dtype, p.tensor = make(Buffer(b));
      params_.push_back(make(std::move(p)));
    } else {
      stmts_.push_back(make(Buffer(b)));
    }
    buffers_.push_back(std::move(b));
  }
  void begin() {
    for (size_t n = 0; n < buffers_.size(); ++n) {
      const Buffer b = buffers_[n];
      if (b.scope == Scope::global) continue;
      Parallel p;
      Expr value = int_const(int64_t(n));
      std::vector<Expr> index;
      for (size_t d = 0; d < b.shape.size(); ++d) {
        p.vars.push_back(d ? "j" : "i"), p.extents.push_back(b.shape[d]);
        index.push_back(d ? j() : i());
        value = add(value, mul(index[d], int_const(d ? 3 : 1)));
      }
      p.body = store(b, index, cast(b.dtype, floormod(value, int_const(17))));
      stmts_.push_back(make(std::move(p)));
    }
  }
  void end() {
    for (size_t n = 0, count = buffers_.size(); n < count; ++n) {
      const Buffer b = buffers_[n];
      if (b.scope == Scope::global) continue;
      declare(const_shape(b), Scope::global, b.dtype);
      Copy c;
      c.src = whole(b), c.dst = whole(buffers_.back());
      stmts_.push_back(make(std::move(c)));
    }
  }
  const Buffer& matrix() { return buffers_[std::vector<size_t>{0, 1, 2, 6, 7}[below(5)]]; }
  const Buffer& vector() { return buffers_[3 + below(2)]; }
  static Expr i() { return name_ref("i"); }
  static Expr j() { return name_ref("j"); }

  Expr read(bool two) {
    if (!two)
      return cast(DType::f32, below(2) ? load(vector(), {i()})
                                       : load(matrix(), {i(), int_const(below(cols_))}));
    switch (below(5)) {
      case 0: return cast(DType::f32, load(vector(), {i()}));
      case 1: return cast(DType::f32, load(buffers_[5], {j(), i()}));
      case 2: return cast(DType::f32, load(vector(), {int_const(below(rows_))}));
      default: return cast(DType::f32, load(matrix(), {i(), j()}));
    }
  }
  void statement() {
    switch (below(4)) {
      case 0: {
        Copy c;
        c.by = CopyBy::simt, c.src = whole(matrix()), c.dst = whole(matrix());
        stmts_.push_back(make(std::move(c)));
        return;
      }
      case 1: {
        Reduce r;
        r.src = whole(matrix()), r.dst = whole(vector()), r.dims = {1}, r.clear = below(2);
        r.op = ReduceOp::max;  // exact in any order
        if (to<Region>(r.src).buffer == buffers_[7].name)
          return;  // global: not a reduction's source
        stmts_.push_back(make(std::move(r)));
        return;
      }
      case 2: return parallel(false);
      default: return parallel(true);
    }
  }
  void parallel(bool two) {
    Parallel p;
    p.vars = two ? std::vector<Symbol>{"i", "j"} : std::vector<Symbol>{"i"};
    p.extents = two ? std::vector<Expr>{int_const(rows_), int_const(cols_)}
                    : std::vector<Expr>{int_const(rows_)};
    const Buffer& target = two ? below(4) ? matrix() : buffers_[5] : vector();
    std::vector<Expr> index = !two                      ? std::vector<Expr>{i()}
                              : &target == &buffers_[5] ? std::vector<Expr>{j(), i()}
                                                        : std::vector<Expr>{i(), j()};
    p.body = store(target, index, cast(target.dtype, add(read(two), read(two))));
    stmts_.push_back(make(std::move(p)));
  }

  std::mt19937_64 random_;
  int64_t rows_ = 1, cols_ = 1;
  std::vector<Buffer> buffers_;
  std::vector<Stmt> stmts_, params_;
};

}  // namespace

TEST(infer_layouts_random_kernels) {
  int conversions = 0, refused = 0;
  for (int n = 0; n < test::rounds(300); ++n) {
    int64_t threads = 0;
    FuncRef func = Maker(test::seed() * 1000 + uint64_t(n)).make_func(threads);
    Diagnostics diagnostics;
    PassContext context{*find_target("mp_31"), diagnostics, ""};
    FuncRef result = infer_layouts(func, context);
    conversions += std::any_of(diagnostics.all().begin(), diagnostics.all().end(),
                               [](auto& d) { return d.id == Diag::layout_conversion; });
    refused += diagnostics.errors() > 0;
    if (diagnostics.errors() > 0) continue;
    std::string broken = Judge(result, threads).broken;
    if (broken.empty()) continue;
    test::fail(__FILE__, __LINE__, "kernel " + std::to_string(n) + ": " + broken);
    return;
  }
  // The generator does make maps that disagree: of 9000 kernels (30 seeds) 23.2 % were converted
  // and 0.4 % refused. Of 300, 30 or fewer come by chance once in 10^8 runs, of a debug build's 37
  // none once in 10^4.
  EXPECT(conversions > (test::every == 1 ? 30 : 0));
  EXPECT(refused < 10);
}

namespace {

/// All tensors after a run, or what went wrong.
std::vector<std::vector<uint8_t>> run(const Func& func, std::string& wrong) {
  std::vector<std::vector<uint8_t>> data;
  std::vector<sim::Argument> arguments;
  for (const Stmt& stmt : func.params) {
    const Buffer& b = to<Buffer>(to<Param>(stmt).tensor);
    int64_t count = 1;
    for (int64_t extent : const_shape(b)) count *= extent;
    data.emplace_back(size_t(count * bytes(b.dtype)), uint8_t(0));
    arguments.push_back(sim::tensor_argument(b.dtype, const_shape(b), nullptr));
  }
  for (size_t i = 0; i < data.size(); ++i) arguments[i].data = data[i].data();
  sim::RunOptions options;
  options.threads = 1;
  options.watch.races = true;
  sim::RunResult result = sim::run(func, arguments, options);
  if (result.ok()) return data;
  wrong = result.error;
  for (const sim::Finding& finding : result.findings)
    wrong += finding.buffer + finding.element + " " + finding.detail + "; ";
  if (wrong.empty()) wrong = "stopped";
  return data;
}

}  // namespace

TEST(infer_layouts_random_kernels_compute_the_same_at_thread_level) {
  int compared = 0;
  for (int n = 0; n < test::rounds(60); ++n) {
    int64_t threads = 0;
    FuncRef func = Maker(test::seed() * 1000 + uint64_t(n)).make_func(threads, true);
    Diagnostics diagnostics;
    PipelineOptions options;
    options.stop_after = "vectorize";
    options.skip = {"verify_kernel"};  // kernels that race are made, too; they are left out below
    PipelineResult result = run_passes(func, diagnostics, options);
    if (!result.ok) continue;
    std::string wrong, what = "kernel " + std::to_string(n);
    std::vector<std::vector<uint8_t>> expected = run(*func, wrong);
    if (!wrong.empty()) continue;  // kernels with races have no defined result
    for (const Snapshot& snapshot : result.snapshots) {
      std::vector<std::vector<uint8_t>> got = run(*snapshot.func, wrong);
      if (!wrong.empty() || got != expected) {
        test::fail(__FILE__, __LINE__,
                   what + " after " + (snapshot.pass ? snapshot.pass->name : "reading") + ": " +
                       (wrong.empty() ? "another result" : wrong) + "\n" + print(*func) +
                       print(*snapshot.func));
        return;
      }
    }
    ++compared;
  }
  EXPECT(compared > test::rounds(30));
}
