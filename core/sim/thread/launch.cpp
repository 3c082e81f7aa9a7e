// SPDX-License-Identifier: Apache-2.0
// One launch at thread or flat level: binds memory to a compiled kernel and runs its blocks.
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <tuple>

#include "core/analysis/endless.h"
#include "core/sim/machine/race_grid.h"
#include "core/sim/sim.h"
#include "core/sim/thread/block.h"
#include "core/sim/thread/compile.h"
#include "core/sim/thread/waiting_blocks.h"
#include "core/support/progress.h"
#include "core/support/workers.h"
#include "core/targets/target.h"

namespace tilelab::sim {
namespace {

class Runner {
 public:
  Runner(const Launch& launch, const RunOptions& options, RunResult& result)
      : launch_(launch),
        options_(options),
        result_(result),
        deadline_(options.seconds),
        waits_(waits_for_others(*launch.kernel.body)),
        blocks_(launch, options, waits_) {}

  void run() {
    compile();
    bind_memories();
    bind_maps();
    bind_inputs();
    context_.grid = launch_.grid;
    context_.watch = options_.watch;
    context_.seed = options_.seed, context_.waits = waits_;
    context_.log = options_.log;
    context_.meter = options_.meter;
    if (options_.meter) begin_metered();
    if (options_.log) options_.log->begin_launch();
    context_.interrupt = options_.interrupt;
    context_.trace = options_.trace;
    if (options_.trace)
      options_.trace->indices = image_.indices, options_.trace->grid = launch_.grid;
    find_watched_element();
    // The blocks of a sample are proved to be independent.
    merges_ = options_.watch.races && !options_.sample;
    if (merges_) make_grid_races();
    run_blocks();
    if (options_.meter) describe_memories(image_, context_, *options_.meter);
    merge();
  }

 private:
  void compile() {
    const Target* target = find_target(launch_.func.target);
    ThreadOptions o;
    if (target) o.warp = target->lanes, o.target = target->letter;
    if (target) o.proxies = target->proxy_fence, o.init_fence = target->init_fence;
    o.barriers_by_id = target && target->barriers.kind == Barriers::Kind::by_id;
    o.parts_use_barriers = o.barriers_by_id && target->named_barriers == 0;
    if (o.warp < 1 || o.warp > 128) o.warp = 32;
    o.flat = launch_.func.level == Level::flat;
    o.notes = options_.watch.notes;
    o.watched = options_.watch.uninitialized || options_.watch.races;
    o.uninitialized = options_.watch.uninitialized;
    o.traced = options_.trace != nullptr;
    o.logged = options_.log && options_.log->statements;
    try {
      image_ = compile_kernel(launch_.func, launch_.kernel, o);
    } catch (const CannotRun& c) {
      throw LaunchError{c.span, c.what};
    }
    constants_ = constant_lanes(image_.program);
    context_.image = &image_;
    context_.constants = constants_.data();
  }

  void bind_memories() {
    context_.memories.resize(image_.memories.size());
    for (size_t i = 0; i < image_.memories.size(); ++i) {
      const MemoryInfo& info = image_.memories[i];
      if (info.shared) continue;
      LaunchContext::Memory& m = context_.memories[i];
      m.granule = elem_bytes(info.elem);
      if (info.of >= 0) {
        m = context_.memories[size_t(info.of)];
        m.same_as = info.of;
        m.shape = {m.bytes / elem_bytes(info.elem)}, m.strides = {1};
        continue;
      }
      if (info.addressed) {
        m.base = AddressSpace::begin(), m.bytes = bytes_at_address(launch_, info.name);
        continue;
      }
      const GlobalMemory* found = nullptr;
      for (const GlobalMemory& g : launch_.memories)
        if (g.name == info.name) found = &g;
      if (!found) throw LaunchError{launch_.kernel.span, info.name.str() + " is not bound"};
      m.base = found->data;
      m.bytes = found->bytes;
      m.written = found->written;
      m.shape = found->shape, m.strides = found->strides;
      for (size_t k = 0; k < i; ++k) {
        const LaunchContext::Memory& other = context_.memories[k];
        if (!other.base || m.base < other.base || m.base >= other.base + other.bytes ||
            other.same_as >= 0)
          continue;
        m.same_as = int32_t(k);
        m.offset = m.base - other.base;
      }
    }
    if (image_.addressed) share_address_space();
    for (size_t i = 0; i < image_.memories.size(); ++i)
      if (int32_t owner = context_.memories[i].same_as; owner >= 0)
        context_.memories[size_t(owner)].granule =
            std::min(context_.memories[size_t(owner)].granule, elem_bytes(image_.memories[i].elem));
  }

  /// A tensor at an address may share bytes with any other tensor: all have one table of the race
  /// detector, in which bytes have the numbers of their addresses.
  void share_address_space() {
    context_.space = &space_;
    int32_t owner = -1;
    for (size_t i = 0; i < image_.memories.size(); ++i) {
      if (image_.memories[i].shared) continue;
      LaunchContext::Memory& m = context_.memories[i];
      if (image_.memories[i].of < 0 && !image_.memories[i].addressed)
        space_.add(int32_t(i), m.base, m.bytes);
      m.same_as = owner, m.offset = 0;
      if (owner < 0) owner = int32_t(i);
    }
  }

  void bind_maps() {
    for (Symbol name : image_.maps) {
      const HostMap* h = nullptr;
      for (const HostMap& m : launch_.maps)
        if (m.name == name) h = &m;
      if (!h) throw LaunchError{launch_.kernel.span, "tensor map " + name.str() + " is not bound"};
      const GlobalMemory& g = launch_.memories[size_t(h->memory)];
      MapView v{.base = g.data,
                .bytes = g.bytes,
                .rank = int32_t(h->dims.size()),
                .elem_bytes = bytes(h->dtype),
                .swizzle = h->swizzle};
      if (v.rank < 1 || v.rank > max_map_rank || h->strides.size() < h->dims.size())
        throw LaunchError{launch_.kernel.span,
                          "tensor map " + name.str() + " has a rank outside 1 to 5"};
      for (size_t d = 0; d < h->dims.size(); ++d) {
        v.dims[d] = h->dims[d];
        v.strides[d] = h->strides[d];
        v.box[d] = d < h->box.size() ? h->box[d] : 0;
      }
      for (size_t i = 0; i < image_.memories.size(); ++i)
        if (!image_.memories[i].shared && image_.memories[i].name == g.name) v.memory = int32_t(i);
      if (!map_fits(v))
        throw LaunchError{launch_.kernel.span,
                          "tensor map " + name.str() + " extends outside its tensor"};
      context_.maps.push_back(v);
    }
  }

  void bind_inputs() {
    for (const Input& in : image_.program.inputs) {
      uint64_t bits = 0;
      const std::string& name = in.name.str();
      bool known =
          name == "tid" || name == "lane" || name == "warp" ||
          std::find(image_.indices.begin(), image_.indices.end(), in.name) != image_.indices.end();
      for (auto& [symbol, scalar] : launch_.scalars)
        if (symbol == in.name) bits = scalar.bits, known = true;
      if (!known) throw LaunchError{launch_.kernel.span, name + " has no value"};
      context_.inputs.push_back(bits);
    }
  }

  /// Finds the requested byte's memory. Stores of tensor maps and views write it too.
  void find_watched_element() {
    for (size_t i = 0; options_.watched_element && i < image_.memories.size(); ++i) {
      const MemoryInfo& m = image_.memories[i];
      if (m.shared || m.name.str() != options_.watched_element->buffer) continue;
      context_.watched_memory = int32_t(i);
      context_.watched_byte = options_.watched_element->element * elem_bytes(m.elem);
    }
  }

  void make_grid_races() {
    grid_.resize(image_.memories.size());
    context_.order = &order_;
    for (size_t i = 0; i < image_.memories.size(); ++i) {
      const LaunchContext::Memory& m = context_.memories[i];
      if (!image_.memories[i].shared && m.same_as < 0)
        grid_[i] = std::make_unique<GridRaces>(std::max<int64_t>(m.bytes, 1), m.granule);
    }
  }

  void begin_metered() {
    const Target* target = find_target(launch_.func.target);
    options_.meter->begin_launch(target ? target->banks : BankModel{}, launch_.grid, waits_);
  }

  // ---- blocks

  void run_blocks() {
    if (progress_) progress_->all += blocks_.count();
    // The order of atomics is visible: such kernels run block by block. GridOrder is not shared by
    // threads, and barriers of clusters use it as well.
    const bool ordered = image_.atomics || waits_ || (merges_ && image_.addressed) ||
                         (merges_ && blocks_.cluster_size() > 1);
    int64_t workers = ordered ? 1 : std::min<int64_t>(options_.threads, blocks_.count());
    run_concurrently(int(workers) - 1, [this] { work(); });
    if (error_) std::rethrow_exception(error_);
  }

  /// The number of interleaved blocks; the same if one of them is traced. The race detector keeps a
  /// shadow of every tensor for each of them.
  int64_t interleaved() const {
    const int64_t cluster = blocks_.cluster_size();
    if (options_.seed < kInterleaved || options_.log || options_.meter) return cluster;
    constexpr int64_t memory = 64 << 20, registers = 1024;
    const int64_t own = image_.smem + image_.threads * registers;
    const int64_t most = options_.watch.races ? 4 : 64;
    const int64_t n =
        std::clamp<int64_t>(memory / own, 1, std::clamp<int64_t>(blocks_.count(), 1, most));
    return std::max(n / cluster, int64_t{1}) * cluster;
  }

  /// -1: none, or outside this grid.
  int64_t traced_block() const {
    if (!options_.trace) return -1;
    const auto& at = options_.trace->block;
    const auto& grid = launch_.grid;
    for (size_t d = 0; d < 3; ++d)
      if (at[d] < 0 || at[d] >= grid[d]) return -1;
    return at[0] + grid[0] * (at[1] + grid[1] * at[2]);
  }

  /// Runs the traced block together with those interleaved with it.
  void trace_interleaved() {
    const int64_t traced = traced_block(), n = interleaved();
    if (traced < 0) return;
    int64_t place = 0;
    while (blocks_[place] != traced) ++place;
    const int64_t first = place / n * n, end = std::min(first + n, blocks_.count());
    std::vector<std::unique_ptr<Block>> together;
    for (int64_t i = first; i < end; ++i)
      together.push_back(std::make_unique<Block>(context_, i == place));
    run_interleaved(together, first, end);
    Block& block = *together[size_t(place - first)];
    finish(place, block, block.end());
  }

  void work_waiting(std::vector<std::unique_ptr<Block>>& made) {
    const int64_t traced = traced_block();
    const auto number = [&](int64_t i) { return blocks_[i]; };
    const auto make = [&](int64_t block) {
      return std::make_unique<Block>(context_, block == traced);
    };
    const auto may_begin = [&] { return !deadline_.passed() && !stop_; };
    const auto ended = [&](int64_t i, Block& block) {
      const bool done = block.end();
      next_merged_ = i;  // in the order in which they end
      finish(i, block, done);
      return done && !block.tracer();
    };
    run_waiting_blocks({blocks_.count(), interleaved(), blocks_.cluster_size(), traced, number,
                        make, may_begin, ended},
                       made);
  }

  void work() {
    try {
      std::vector<std::unique_ptr<Block>> made;
      if (waits_) {
        work_waiting(made);
        return add_counts(made);
      }
      const bool together = options_.seed >= kInterleaved || blocks_.cluster_size() > 1;
      if (options_.trace && together) return trace_interleaved();
      for (int64_t n = interleaved(); n > 0; --n) made.push_back(std::make_unique<Block>(context_));
      const int64_t n = int64_t(made.size());
      bool done = true;
      while (done && !deadline_.passed()) {  // a claimed block must run: others wait for it
        const int64_t first = next_.fetch_add(n);
        const int64_t end = std::min(first + n, blocks_.count());
        if (first >= end || stop_.load(std::memory_order_relaxed)) break;
        run_interleaved(made, first, end);
        for (int64_t i = first; i < end && done; ++i) {
          Block& block = *made[size_t(i - first)];
          done = block.end();
          finish(i, block, done);
        }
      }
      add_counts(made);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
      merged_changed_.notify_all();
    }
  }

  void add_counts(const std::vector<std::unique_ptr<Block>>& made) {
    std::lock_guard lock(mutex_);
    for (const auto& block : made) {
      result_.lane_results += block->lane_results;
      result_.accesses += block->accesses;
    }
  }

  /// Runs blocks [first, end) of those to run, interleaved, until they or the traced one end.
  void run_interleaved(std::vector<std::unique_ptr<Block>>& blocks, int64_t first, int64_t end) {
    std::vector<Block*> going;
    Clusters clusters(blocks_.cluster_size());
    for (int64_t i = first; i < end; ++i) {
      going.push_back(blocks[size_t(i - first)].get());
      clusters.join(*going.back(), i, blocks_[i]);
      going.back()->begin(blocks_[i]);
    }
    bool traced = false;
    while (!going.empty() && !traced) {
      going.erase(std::remove_if(going.begin(), going.end(),
                                 [&](Block* block) {
                                   if (traced || block->run_slice()) return false;
                                   block->leave_cluster();
                                   return traced = block->tracer() != nullptr, true;
                                 }),
                  going.end());
      clusters.check(going);
    }
  }

  /// Block `i` of those to run has ended.
  void finish(int64_t i, Block& block, bool done) {
    std::unique_lock lock(mutex_);
    if (!done) {
      result_.status = RunResult::Status::interrupted;
      stop_ = true;
      merged_changed_.notify_all();
      return;
    }
    ++result_.blocks;
    if (progress_) ++progress_->done;
    if (block.stopped() && !(block.tracer() && block.tracer()->stopped())) any_stopped_ = true;
    BlockOutput& o = block.output;
    if (!o.findings.empty() || !o.notes.empty() || !o.records.empty() || !o.writers.empty())
      outputs_.push_back(std::move(o));
    if (!merges_) return;
    merged_changed_.wait(lock, [&] { return next_merged_ == i || stop_.load(); });
    if (next_merged_ != i) return;
    block.merge_into(grid_, order_);
    ++next_merged_;
    merged_changed_.notify_all();
  }

  // ---- results

  void merge() {
    std::sort(outputs_.begin(), outputs_.end(),
              [](const BlockOutput& a, const BlockOutput& b) { return a.block < b.block; });
    for (BlockOutput& o : outputs_) {
      if (o.failed && !result_.failed) result_.failed = std::move(o.failed);
      for (Finding& f : o.findings) add(std::move(f));
      for (Note& n : o.notes) add(n);
      for (Writer& w : o.writers) result_.writers.push_back(std::move(w));
      for (Recorded& r : o.records) {
        if (int64_t(result_.records.size()) < options_.max_records) {
          result_.records.push_back(std::move(r));
        } else {
          ++result_.lost_records;
        }
      }
    }
    for (size_t i = 0; i < grid_.size(); ++i)
      if (grid_[i])
        for (const GridHit& h : grid_[i]->hits()) add_grid_hit(int32_t(i), h);
    if (any_stopped_ && result_.status == RunResult::Status::finished)
      result_.status = RunResult::Status::stopped;
  }

  void add_grid_hit(int32_t memory, const GridHit& h) {
    Finding f{.kind = FindingKind::race, .count = h.count};
    auto [tensor, byte] = std::pair(memory, h.offset);
    if (image_.addressed) std::tie(tensor, byte) = space_.tensor_of(h.offset);
    const MemoryInfo& m = image_.memories[size_t(tensor)];
    f.buffer = m.name.str();
    f.element = element_text(m, byte);
    auto coordinates = [&](int64_t b) {
      return std::array<int64_t, 3>{b % launch_.grid[0], b / launch_.grid[0] % launch_.grid[1],
                                    b / launch_.grid[0] / launch_.grid[1]};
    };
    f.block = coordinates(h.second.block);
    auto side = [&](const GridHit::Side& s) {
      auto c = coordinates(s.block);
      std::string who = "block (" + std::to_string(c[0]) + ", " + std::to_string(c[1]) +
                        (launch_.grid[2] > 1 ? ", " + std::to_string(c[2]) : "") + ")";
      const char* verb = s.kind == AccessKind::read    ? "reads"
                         : s.kind == AccessKind::write ? "writes"
                                                       : "updates";
      f.where.push_back({image_.program.places[s.place], who, verb});
    };
    side(h.first);
    side(h.second);
    if (m.declared.known()) f.related.push_back(declaration(m.declared, f.buffer, m.shape));
    add(std::move(f));
  }

  void add(Finding f) {
    for (Finding& known : result_.findings) {
      if (known.kind != f.kind || known.buffer != f.buffer || known.where.size() != f.where.size())
        continue;
      bool same = true;
      for (size_t i = 0; i < f.where.size(); ++i)
        same &= known.where[i].span == f.where[i].span && known.where[i].verb == f.where[i].verb;
      if (!same) continue;
      known.count += f.count;
      return;
    }
    if (int(result_.findings.size()) < options_.max_findings)
      result_.findings.push_back(std::move(f));
  }

  void add(const Note& n) {
    for (Note& known : result_.notes)
      if (known.span == n.span) {
        known.count += n.count;
        return;
      }
    result_.notes.push_back(n);
  }

  const Launch& launch_;
  const RunOptions& options_;
  RunResult& result_;
  Deadline deadline_;
  ThreadImage image_;
  std::vector<uint8_t> constants_;
  LaunchContext context_;
  AddressSpace space_;
  std::vector<std::unique_ptr<GridRaces>> grid_;
  GridOrder order_;
  std::vector<BlockOutput> outputs_;
  std::mutex mutex_;
  std::condition_variable merged_changed_;
  Progress* progress_ = current_progress;
  std::atomic<int64_t> next_{0};
  std::atomic<bool> stop_{false};
  std::exception_ptr error_;
  const bool waits_;  // threads or blocks for writes of others
  const ChosenBlocks blocks_;
  int64_t next_merged_ = 0;
  bool any_stopped_ = false;
  bool merges_ = false;  // footprints, for races between blocks
};

}  // namespace

void run_thread_launch(const Launch& launch, const RunOptions& options, RunResult& result) {
  try {
    Runner(launch, options, result).run();
  } catch (const LaunchError& r) {
    result.status = RunResult::Status::refused;
    result.error = r.what;
    result.error_span = r.span;
  }
}

}  // namespace tilelab::sim
