// SPDX-License-Identifier: Apache-2.0
// One launch at tile level: compile, run the blocks on workers, merge the reports in the order of
// blocks.
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "core/sim/program/compile.h"
#include "core/sim/tile/provenance.h"
#include "core/sim/tile/run.h"
#include "core/sim/write_log.h"
#include "core/support/progress.h"
#include "core/support/workers.h"

namespace tilelab::sim {

int64_t in_strips(int64_t i, const std::array<int64_t, 3>& grid) {
  constexpr int64_t height = 8;
  int64_t plane = grid[0] * grid[1], inside = i % plane;
  int64_t first = inside / (height * grid[0]) * height, h = std::min(height, grid[1] - first);
  int64_t at = inside - first * grid[0];
  return i - inside + (first + at % h) * grid[0] + at / h;
}

namespace {

struct Shared {
  explicit Shared(double seconds) : deadline(seconds) {}

  Deadline deadline;
  Progress* progress = current_progress;
  std::atomic<int64_t> next{0};
  std::atomic<bool> interrupted{false};
  std::vector<int64_t> watched;  // blocks that have already run, increasing
  std::mutex mutex;
  TileReport report;
  std::exception_ptr failed;
};

/// The blocks of the cluster that is number `i` to run.
std::vector<int64_t> cluster_at(const ChosenBlocks& blocks, int64_t i) {
  std::vector<int64_t> out(size_t(blocks.cluster_size()));
  for (size_t rank = 0; rank < out.size(); ++rank) out[rank] = blocks[i + int64_t(rank)];
  return out;
}

void work(const TileImage& image, const Launch& launch, const RunOptions& options, TileWatch* watch,
          Shared& shared) {
  try {
    TileClusters clusters(image, launch, options, watch);
    const ChosenBlocks blocks(launch, options, image.waits);
    // If the order is observable, it is that of the block indices.
    const int64_t size = blocks.cluster_size();
    const bool strips = !watch && size == 1 && !options.sample && !options.trace && !options.log &&
                        !image.global_atomics && !image.waits && image.records == 0;
    const bool finished = clusters.run([&]() -> std::optional<TileClusters::Numbers> {
      while (!shared.deadline.passed()) {
        const int64_t b = shared.next.fetch_add(size);
        if (b >= blocks.count()) break;
        TileClusters::Numbers numbers = cluster_at(blocks, b);
        if (strips) numbers[0] = in_strips(b, launch.grid);
        if (std::binary_search(shared.watched.begin(), shared.watched.end(), numbers[0])) continue;
        if (shared.progress) shared.progress->done += size;
        return numbers;
      }
      return {};
    });
    if (!finished) shared.interrupted = true;
    clusters.end_launch();
    std::lock_guard lock(shared.mutex);
    clusters.merge_into(shared.report);
  } catch (...) {  // a bug of tilelab: the caller's boundary reports it
    std::lock_guard lock(shared.mutex);
    shared.failed = std::current_exception();
    shared.next = INT64_MAX / 2;
  }
}

/// Runs watched blocks first, until the time limit: those of a sample, or the first of the grid if
/// the order of blocks is observable.
void watch_blocks(const TileImage& image, const Launch& launch, RunOptions options, Shared& shared,
                  RunResult& result) {
  if (!image.global_atomics && !image.waits && !options.sample)
    options.sample = options.warn->sample;
  TileWatch watch(true, true);
  TileClusters clusters(image, launch, options, &watch);
  const ChosenBlocks blocks(launch, options, image.waits);
  const Deadline& until = options.warn->until;
  int64_t i = 0;
  shared.interrupted = !clusters.run([&]() -> std::optional<TileClusters::Numbers> {
    // Blocks may wait for each other, and then all of them run here.
    if (i >= blocks.count() || (until.passed() && (!image.waits || options.warn->alone))) return {};
    TileClusters::Numbers numbers = cluster_at(blocks, i);
    i += blocks.cluster_size();
    shared.watched.insert(shared.watched.end(), numbers.begin(), numbers.end());
    if (shared.progress) shared.progress->done += blocks.cluster_size();
    return numbers;
  });
  std::sort(shared.watched.begin(), shared.watched.end());
  clusters.end_launch();
  clusters.report_origins(result.origins);
  clusters.merge_into(shared.report);
}

/// In the order of blocks, advice last.
void publish(TileReport::Findings& found, const RunOptions& options, std::vector<Finding>& out) {
  std::vector<std::pair<int64_t, Finding>> findings;
  for (auto& [key, entry] : found) findings.push_back(std::move(entry));
  std::stable_sort(findings.begin(), findings.end(), [](auto& a, auto& b) {
    return std::pair(is_advice(a.second.kind), a.first) <
           std::pair(is_advice(b.second.kind), b.first);
  });
  for (auto& [block, finding] : findings)
    if (int(out.size()) < options.max_findings) out.push_back(std::move(finding));
}

void publish(TileReport& report, const RunOptions& options, bool all, RunResult& result) {
  TileReport::Findings& outside = options.watch.notes ? report.findings : report.warnings;
  if (all) report.report_never_inside(outside);
  publish(report.findings, options, result.findings);
  publish(report.warnings, options, result.warnings);
  for (auto& [key, entry] : report.notes) result.notes.push_back(entry.second);
  std::stable_sort(report.records.begin(), report.records.end(),
                   [](auto& a, auto& b) { return a.first < b.first; });
  for (auto& [block, record] : report.records) {
    if (int64_t(result.records.size()) < options.max_records)
      result.records.push_back(std::move(record));
    else
      ++result.lost_records;
  }
  result.lost_records += report.lost_records;
  result.blocks += report.blocks;
}

void report_traffic(const Launch& launch, const TileWatch& watch, RunResult& result) {
  for (size_t g = 0; g < std::min(watch.moved().size(), launch.memories.size()); ++g) {
    const auto [read, written] = watch.moved()[g];
    if (read + written == 0) continue;
    const std::string& name = launch.memories[g].name.str();
    auto same = [&](const Traffic& t) { return t.buffer == name; };
    auto known = std::find_if(result.traffic.begin(), result.traffic.end(), same);
    if (known == result.traffic.end()) known = result.traffic.insert(known, Traffic{name, 0, 0});
    known->read += read;
    known->written += written;
  }
}

void report_writer(const Launch& launch, const TileImage& image,
                   const WatchedElement& watched_element, TileWatch& watch, RunResult& result) {
  for (const TileMemory& m : image.memories) {
    if (m.global < 0 || &image.memories[size_t(m.root)] != &m) continue;
    if (size_t(m.global) >= launch.memories.size()) continue;  // at an address
    if (launch.memories[size_t(m.global)].name.str() != watched_element.buffer) continue;
    const uint8_t* data = launch.memories[size_t(m.global)].data;
    auto found = watch.writer(m.space, TileBlock::cell(m, data, watched_element.element));
    if (!found) continue;
    const auto [x, y, z] = launch.grid;
    const int64_t b = found->first;
    result.writers = {Writer{{b % x, b / x % y, b / (x * y)}, found->second, ""}};
  }
}

bool is_number(const Launch& launch, size_t memory, int64_t offset) {
  const GlobalMemory& m = launch.memories[memory];
  return number_kind(m.dtype, m.data + offset * bytes(m.dtype)) == NumberKind::finite;
}

}  // namespace

// ---- reports

void TileReport::add(Findings& into, int64_t block, Finding f) {
  Span a = f.where.empty() ? Span{} : f.where[0].span;
  Span b = f.where.size() < 2 ? Span{} : f.where[1].span;
  Key key{int(f.kind), a.file, a.line, a.col, b.line, b.col, f.buffer};
  auto [it, fresh] = into.try_emplace(key, block, f);
  if (fresh) return;
  f.count += it->second.second.count;
  f.update |= it->second.second.update;
  if (block >= it->second.first) {
    it->second.second.count = f.count;
    it->second.second.update = f.update;
  } else {
    it->second = {block, std::move(f)};
  }
}

void TileReport::add(int64_t block, Note n) {
  auto [it, fresh] = notes.try_emplace({n.span.file, n.span.line, n.span.col}, block, n);
  if (fresh) return;
  n.count += it->second.second.count;
  if (block >= it->second.first)
    it->second.second.count = n.count;
  else
    it->second = {block, n};
}

void TileReport::merge(TileReport&& other) {
  for (auto& [key, entry] : other.findings) add(entry.first, std::move(entry.second));
  for (auto& [key, entry] : other.warnings) add(warnings, entry.first, std::move(entry.second));
  for (auto& [key, entry] : other.notes) add(entry.first, entry.second);
  records.insert(records.end(), std::make_move_iterator(other.records.begin()),
                 std::make_move_iterator(other.records.end()));
  for (auto& [key, seen] : other.guarded) merge(guarded[key], seen);
  if (other.failed && (!failed || other.failed_block < failed_block)) {
    failed = std::move(other.failed);
    failed_block = other.failed_block;
  }
  lost_records += other.lost_records;
  blocks += other.blocks;
  stopped |= other.stopped;
}

// ---- launches

int64_t block_of_special(const Launch& launch, const RunOptions& options, size_t memory,
                         int64_t offset) {
  if (ClusterShape(launch.kernel, launch.grid).size() > 1) return -1;  // they do not run alone
  const TileImage image = compile_tile_kernel(launch);
  const Deadline deadline(options.seconds);
  TileBlock block(image, launch, options, nullptr);
  const int64_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  for (int64_t b = 0; b < blocks && !deadline.passed(); ++b)
    if (!block.run(b) || !is_number(launch, memory, offset)) return block.interrupted() ? -1 : b;
  return -1;
}

std::vector<OriginStep> trace_block(const Launch& launch, const RunOptions& options, int64_t number,
                                    size_t memory, int64_t offset) {
  if (ClusterShape(launch.kernel, launch.grid).size() > 1) return {};
  const TileImage image = compile_tile_kernel(launch);
  TileBlock block(image, launch, options, nullptr);
  if (!options.sample || image.global_atomics)  // otherwise no block reads what another writes
    for (int64_t b = 0; b < number && !block.interrupted(); ++b) block.run(b);
  const NaNProvenance& provenance = block.trace_numbers();
  if (!block.run(number)) return {};
  for (const TileMemory& m : image.memories)
    if (m.global == int32_t(memory) && m.elem == launch.memories[memory].dtype)
      return provenance.trace(m, offset);
  return {};
}

void run_tile_launch(const Launch& launch, const RunOptions& options, RunResult& result) {
  const bool watched = options.watch.uninitialized || options.watch.races;
  ImageUse use{options.notes_outside(), options.trace != nullptr, options.log != nullptr,
               watched || options.warn};
  TileImage image;
  try {
    image = compile_tile_kernel(launch, use);
  } catch (const CannotRun& c) {
    result.status = RunResult::Status::refused;
    result.error = "the simulator cannot run " + c.what;
    result.error_span = c.span;
    return;
  }
  if (options.trace) options.trace->grid = launch.grid;
  if (options.log) options.log->begin_launch();
  Shared shared(options.seconds);
  TileWatch watch(options.watch.uninitialized, options.watch.races);
  const int64_t blocks = ChosenBlocks(launch, options, image.waits).count();
  if (shared.progress) shared.progress->all += blocks;
  if (options.warn) watch_blocks(image, launch, options, shared, result);
  const bool more = !(options.warn && options.warn->alone) && !shared.interrupted &&
                    int64_t(shared.watched.size()) < blocks;
  if (more && options.warn) {
    use.watched = watched;
    image = compile_tile_kernel(launch, use);
  }
  // Atomics on global memory have one order: that of the blocks. Watchers compare blocks in order
  // too.
  int workers = image.global_atomics || image.waits || watched ? 1 : options.threads;
  workers = int(std::min<int64_t>(std::max(workers, 1), blocks));
  if (more)
    run_concurrently(workers - 1,
                     [&] { work(image, launch, options, watched ? &watch : nullptr, shared); });
  if (shared.failed) std::rethrow_exception(shared.failed);
  if (shared.report.failed && !result.failed) result.failed = std::move(shared.report.failed);
  if (shared.report.stopped) result.status = RunResult::Status::stopped;
  if (shared.interrupted) result.status = RunResult::Status::interrupted;
  publish(shared.report, options, shared.report.blocks == blocks, result);
  result.accesses += watch.accesses;
  report_traffic(launch, watch, result);
  if (options.watched_element && options.watch.races)
    report_writer(launch, image, *options.watched_element, watch, result);
}

}  // namespace tilelab::sim
