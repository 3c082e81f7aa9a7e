// SPDX-License-Identifier: Apache-2.0
#include "core/sim/program/announce.h"
#include "core/sim/tile/async.h"
#include "core/sim/tile/outside.h"
#include "core/sim/tile/provenance.h"

#include <algorithm>
#include <cstring>

#include "core/support/check.h"

namespace tilelab::sim {

// ---- lanes

TileRunner::TileRunner(TileBlock& block, const TileParallel* parallel)
    : block_(block), parallel_(parallel) {
  if (block.options().watch.races) max_iterations = kMaxIterations;
  max_wait_iterations = kMaxIterations / 4;
  if (!parallel) return;
  const size_t variables = parallel->extents.size(), split = size_t(parallel->split);
  origin_.assign(variables, 0);
  lane_values_.resize(variables);
  int64_t lanes = parallel->piece * parallel->inner, period = lanes;
  for (size_t v = split; v < variables; ++v) {
    int64_t extent = v == split ? parallel->piece : parallel->extents[v];
    period /= extent;
    lane_values_[v].resize(size_t(lanes));
    for (int64_t l = 0; l < lanes; ++l) lane_values_[v][size_t(l)] = int32_t(l / period % extent);
  }
  start(parallel->program, parallel->constants.data(), int(lanes));
}

bool TileRunner::neighbours() const {
  const int first = first_active();
  if (first < 0 || first + active() > lanes_) return false;
  const uint8_t* from = mask() + first;
  return std::all_of(from, from + active(), [](uint8_t active) { return active != 0; });
}

/// The lane inputs of the iteration variables.
void TileRunner::fill_variables() {
  const size_t n = size_t(lanes_);
  for (size_t v = 0; v < origin_.size(); ++v) {
    Reg r = parallel_->variables[v];
    if (r == no_reg) continue;
    int32_t* to = reinterpret_cast<int32_t*>(at(r));
    int32_t first = int32_t(origin_[v]);
    if (int(v) < parallel_->split) {
      std::fill_n(to, n, first);
    } else {
      const int32_t* value = lane_values_[v].data();
      for (size_t l = 0; l < n; ++l) to[l] = first + value[l];
    }
  }
}

constexpr int64_t kSteps = int64_t{1} << 20;  // between checks of the clock

Step TileRunner::run_parallel(TileRunner& outer, const CallSite& site) {
  const TileParallel& p = *parallel_;
  std::vector<int64_t> extents = p.extents;
  for (size_t v = 0; v < extents.size(); ++v) {
    if (extents[v] < 0) extents[v] = outer.scalar(site, p.extent_operands[v]);
    if (extents[v] <= 0) return Step::next;
  }
  for (const TileParallel::Capture& c : p.captures)
    broadcast(at(c.reg), outer.scalar_bytes(site, c.operand), elem_bytes(c.elem), size_t(lanes_));
  thread_ = outer.scalar_lane();
  for (TileObserver* o : block_.observers()) o->begin_parallel(*this, outer, site);
  const size_t split = size_t(p.split);
  std::fill(origin_.begin(), origin_.end(), 0);
  for (;;) {
    for (int64_t i = 0; i < extents[split]; i += p.piece) {
      origin_[split] = i;
      chunk_ = std::min(p.piece, extents[split] - i) * p.inner;
      fill_variables();
      rewind(int(chunk_));
      begin_own_memory();
      for (TileObserver* o : block_.observers()) o->begin_chunk(*this);
      Status status = run(kSteps, block_.options().interrupt);
      while (status == Status::yielded && !block_.interrupted() &&
             !(block_.watch() && block_.stop_watching() && block_.halted_))
        status = run(kSteps, block_.options().interrupt);
      if (block_.interrupted()) return Step::halt;
      if (block_.halted_) return Step::halt;
    }
    size_t v = split;
    while (v > 0 && ++origin_[v - 1] >= extents[v - 1]) origin_[--v] = 0;
    if (v == 0) break;
  }
  carry_out(outer);
  for (TileObserver* o : block_.observers()) o->end_parallel(*this, outer);
  return Step::next;
}

/// Copies the thread's memory, and which bytes of it are initialized, to each iteration's own.
void TileRunner::begin_own_memory() {
  for (const TileParallel::Own& own : parallel_->own) {
    const TileMemory &inner = block_.memory(own.inner), &outer = block_.memory(own.outer);
    const int64_t bytes = inner.elements * elem_bytes(inner.elem);
    const int64_t thread = outer.per_lane ? thread_ * bytes : 0;
    for (int64_t lane = 0; lane < chunk_; ++lane) {
      std::memcpy(block_.base(own.inner) + lane * bytes, block_.base(own.outer) + thread,
                  size_t(bytes));
      if (TileWatch* watch = block_.watch())
        watch->copy_written(inner.at + lane * bytes, outer.at + thread, bytes);
    }
  }
}

Step TileRunner::run_lanes(const TileOp& op, const CallSite& site) {
  Step out = Step::next;
  const int end = op.threads == TileOp::Threads::first ? first_active() + 1 : lanes_;
  for (int lane = std::max(first_active(), 0); lane < end; ++lane) {
    if (!mask()[lane]) continue;
    lane_ = lane;
    if (op.run(block_, *this, site) != Step::next) out = Step::halt;
  }
  lane_ = -1;
  return out;
}

/// Variables that the iterations assigned get the values of the last iteration.
void TileRunner::carry_out(TileRunner& outer) {
  for (const TileParallel::Carried& c : parallel_->carried) {
    const uint8_t* last = at(program().arrays[size_t(c.inner)].first) + (chunk_ - 1) * c.bytes;
    std::vector<uint8_t> lanes(size_t(outer.lane_count() * c.bytes));
    broadcast(lanes.data(), last, c.bytes, size_t(outer.lane_count()));
    const Reg target = outer.program().arrays[size_t(c.outer)].first;
    outer.keep(target, lanes.data(), c.bytes);
  }
}

void TileRunner::load(const Access&, const Instr&) { UNREACHABLE("tile programs load by calls"); }
void TileRunner::store(const Access&, const Instr&) { UNREACHABLE("tile programs store by calls"); }

void TileRunner::out_of_bounds(const Instr&, int, int64_t index, int64_t limit) {
  Finding f = block_.finding(FindingKind::out_of_bounds, span(), nullptr, "uses");
  f.detail = "index " + std::to_string(index) + " of " + std::to_string(limit);
  block_.report(std::move(f));
}

void TileRunner::zero_divisor(const Instr&, int) {
  block_.report(block_.finding(FindingKind::divide_by_zero, span(), nullptr, "divides by zero"));
}

void TileRunner::endless(const Instr&, const std::string& text) {
  Finding f = block_.finding(FindingKind::endless, span(), nullptr, "never ends");
  f.detail = text;
  block_.report(std::move(f));
  block_.halt();
}

void TileRunner::traced(const Instr& instr) {
  for (TileObserver* o : block_.observers())
    if (o->watches_values()) o->computing(*this, instr);
  compute(instr);
  for (TileObserver* o : block_.observers())
    if (o->watches_values()) o->computed(*this, instr);
}

Step TileRunner::call(const CallSite& site, const Instr& instr) {
  if (block_.watch() && ++calls_ % 16 == 0 && block_.stop_watching() && block_.halted_)
    return Step::halt;
  switch (site.what) {
    case call_load: return load_lanes(site), Step::next;
    case call_store: return store_lanes(site), Step::next;
    case call_atomic: return atomic_lanes(site), Step::next;
    case call_shuffle: return shuffle(site), Step::next;
    case call_statement:
    case call_bound:
      if (!block_.tracer() || announce(*this, site, *block_.tracer(), block_.async().agent()))
        return Step::next;
      block_.halt();
      return Step::halt;
    default: return block_.call(*this, site, instr);
  }
}

// ---- blocks

TileBlock::TileBlock(const TileImage& image, const Launch& launch, const RunOptions& options,
                     TileWatch* watch)
    : image_(image),
      launch_(launch),
      options_(options),
      watch_(watch),
      async_(std::make_unique<TileAsync>(*this)) {
  bytes_.resize(size_t(image.block_bytes + 128));
  block_bytes_ = bytes_.data() + (64 - reinterpret_cast<uintptr_t>(bytes_.data()) % 64) % 64;
  if (options.trace) tracer_ = std::make_unique<Tracer>(*options.trace);
  const auto is_argument = [&](const TileMemory& m) {
    return m.global >= 0 && size_t(m.global) < launch.memories.size();
  };
  for (const TileMemory& m : image.memories)
    bases_.push_back(m.global < 0     ? block_bytes_ + m.at
                     : is_argument(m) ? launch.memories[size_t(m.global)].data
                                      : nullptr);
  addresses_.resize(image.memories.size());
  for (size_t a = 0; a < image.agents.size(); ++a)
    agents_.push_back(std::make_unique<TileRunner>(*this, nullptr));
  for (auto& p : image.parallels)
    parallels_.push_back(p->constants.empty() ? nullptr
                                              : std::make_unique<TileRunner>(*this, p.get()));
  const OutsideWatch* outside = nullptr;
  if (tracer_) owned_.push_back({trace_accesses(*this)});
  if (options.notes_outside()) {
    auto made = std::make_unique<OutsideWatch>(*this);
    outside = made.get();
    owned_.push_back({std::move(made)});
  }
  if (watch) owned_.push_back({watch_padding(*this, outside), true});
  if (watch) {
    auto made = std::make_unique<NaNProvenance>(*this, true);
    numbers_ = made.get();
    owned_.push_back({std::move(made), true});
  }
  if (options.log) owned_.push_back({log_writes(*this, *options.log)});
  const bool rings = !image.rings.empty();
  if (watch || rings) owned_.push_back({watch_accesses(*this, watch), !rings});
  observe();
}

TileBlock::~TileBlock() = default;

/// Chooses the active observers.
void TileBlock::observe() {
  observers_.clear();
  bool values = false;
  for (const Owned& o : owned_) {
    if (o.while_watched && !watching_) continue;
    observers_.push_back(o.observer.get());
    values |= o.observer->watches_values();
  }
  for (auto* runners : {&agents_, &parallels_})
    for (auto& runner : *runners)
      if (runner) runner->traces = values;
}

NaNProvenance& TileBlock::trace_numbers() {
  auto made = std::make_unique<NaNProvenance>(*this, false);
  numbers_ = made.get();
  owned_.push_back({std::move(made)});
  observe();
  return *numbers_;
}

const TileMemory& TileBlock::memory_of(int32_t memory, int thread) {
  const TileMemory& all = this->memory(memory);
  const auto [found, made] = of_threads_.try_emplace({memory, thread}, all);
  if (made) found->second.at += thread * all.elements * elem_bytes(all.elem);
  return found->second;
}

void TileBlock::end_launch() {
  for (const Owned& o : owned_) o.observer->end_launch();
}

bool TileBlock::stop_watching() {
  if (!options_.warn || !options_.warn->until.passed()) return false;
  if (watching_) watching_ = false, observe();
  if (options_.warn->alone) halted_ = true;
  return true;
}

Finding TileBlock::finding(FindingKind kind, const Span& span, const TileMemory* memory,
                           std::string verb) {
  Finding f{.kind = kind, .block = block_};
  if (memory) f.buffer = memory->name.str(), f.fragment = memory->scope == Scope::fragment;
  f.where.push_back({span, "", std::move(verb)});
  if (memory && memory->span.known())
    f.related.push_back(declaration(memory->span, f.buffer, memory->shape));
  return f;
}

Finding TileBlock::unwritten_read(const Span& span, const TileMemory& memory, int64_t at) {
  const TilePending* copy = async_->barriers().filling(at);
  Finding f =
      finding(copy ? FindingKind::pending : FindingKind::uninitialized, span, &memory, "reads");
  if (copy) f.where.push_back({copy->span, "", "copies into it and is still in flight"});
  return f;
}

std::string TileBlock::block_name(int64_t number) const {
  if (number < 0) return "more than one block";
  const auto& grid = launch_.grid;
  std::string text = std::to_string(number % grid[0]);
  text += ", " + std::to_string(number / grid[0] % grid[1]);
  if (grid[2] > 1) text += ", " + std::to_string(number / grid[0] / grid[1]);
  return "block (" + text + ")";
}

int64_t TileBlock::first_thread() const { return image_.agents[size_t(async_->agent())].lo; }

void TileBlock::note(const Span& span, int64_t thread, int64_t count) {
  Note n;
  n.span = span;
  n.block = block_;
  n.thread = thread;
  n.count = count;
  result.add(number_, n);
}

void TileBlock::start_agent(size_t a) {
  const TileAgent& agent = image_.agents[a];
  TileRunner& r = *agents_[a];
  r.start(agent.program, agent.constants.data(), agent.program.lanes);
  r.chunk_ = agent.program.lanes;
  const auto& indices = launch_.kernel.indices;
  for (const Input& input : agent.program.inputs) {
    int32_t* to = reinterpret_cast<int32_t*>(r.at(input.reg));
    size_t axis = size_t(std::find(indices.begin(), indices.end(), input.name) - indices.begin());
    const std::string& name = input.name.str();
    for (int32_t l = 0; l < agent.program.lanes; ++l) {
      to[l] = axis < indices.size() ? int32_t(block_[axis])
              : name == "tid"       ? l
              : name == "lane"      ? l % image_.warp
                                    : l / image_.warp;
    }
  }
}

bool TileBlock::run(int64_t number) {
  begin(number);
  State state = resume();
  for (; state == State::idle || state == State::waits; state = resume())
    if (state == State::idle) give_up();
  end();
  return state != State::interrupted;
}

void TileBlock::begin(int64_t number) {
  number_ = number;
  block_ = {number % launch_.grid[0], number / launch_.grid[0] % launch_.grid[1],
            number / launch_.grid[0] / launch_.grid[1]};
  std::memset(block_bytes_, 0xFF, size_t(image_.block_bytes));
  if (watch_) watch_->begin_block(number, image_.block_bytes);
  async_->begin_block();
  for (TileObserver* o : observers_) o->begin_block();
  halted_ = false;
  if (tracer_) {
    options_.trace->indices = launch_.kernel.indices;
    tracer_->begin_block(trace_agents(), trace_memories());
  }
  for (size_t a = 0; a < agents_.size(); ++a) start_agent(a);
  phase_ = 0;
}

void TileBlock::end() {
  for (const Owned& o : owned_) o.observer->end_block();
  if (tracer_) tracer_->end();
}

void TileBlock::give_up() {
  if (async_->waits_for_cluster()) return deadlock(phase_);
  for (auto& agent : agents_) agent->give_up();
}

TileBlock::State TileBlock::resume() {
  const int64_t before = progress_;
  for (const int last = image_.agents.back().phase; phase_ <= last && !halted_; ++phase_)
    if (const State state = run_agents(phase_); state != State::ended)
      return state == State::idle && progress_ != before ? State::waits : state;
  if (halted_) return State::ended;
  async_->end_block();
  ++result.blocks;
  return State::ended;
}

/// Runs the agents of a phase round-robin, each as far as possible.
TileBlock::State TileBlock::run_agents(int phase) {
  for (;;) {
    int64_t before = progress_;
    bool waiting = false, spins = false;
    for (size_t a = 0; a < agents_.size(); ++a) {
      auto& agent = agents_[a];
      if (agent->finished() || image_.agents[a].phase != phase) continue;
      async_->enter(a);
      const int64_t spun = agent->spin();
      const int64_t operations = progress_;
      LaneRunner::Status status = agent->run(kSteps, options_.interrupt);
      if (interrupted()) return State::interrupted;
      if (watch()) stop_watching();
      if (halted_) {
        result.stopped = !tracer_ || !tracer_->stopped();
        return State::ended;
      }
      if (spun && agent->spin() == spun) progress_ = operations;  // of one more iteration
      spins |= agent->spins();
      waiting |= status != LaneRunner::Status::finished;
      if (status != LaneRunner::Status::stopped && !agent->spins()) ++progress_;
      if (status == LaneRunner::Status::finished) async_->end_agent();
      if (tracer_) tracer_->agent(int64_t(a)).ended = status == LaneRunner::Status::finished;
    }
    if (!waiting) return State::ended;
    if (progress_ == before) {
      if (spins || async_->waits_for_cluster()) return State::idle;
      deadlock(phase);
      return State::ended;
    }
  }
}

void TileBlock::deadlock(int phase) {
  Finding f = finding(FindingKind::deadlock, {}, nullptr, "");
  f.where.clear();
  f.detail = async_->counts();
  auto state = [&](size_t a) {
    return agents_[a]->finished() ? std::string("has ended")
                                  : "is in line " + std::to_string(agents_[a]->span().line);
  };
  std::vector<size_t> stopped;
  for (size_t a = 0; a < agents_.size(); ++a)
    if (!agents_[a]->finished() && image_.agents[a].phase == phase) stopped.push_back(a);
  for (size_t a : stopped)
    f.where.push_back({agents_[a]->span(), async_->actor_of(a), async_->waits_for(a)});
  for (size_t a : stopped)
    if (async_->barriers().waits(a))
      for (FindingSide& side : async_->barriers().arrivals(a, state)) {
        auto same = [&](const FindingSide& s) { return s.span == side.span; };
        if (std::none_of(f.where.begin(), f.where.end(), same)) f.where.push_back(std::move(side));
      }
  report(std::move(f));
  result.stopped = halted_ = true;
}

Step TileBlock::call(TileRunner& runner, const CallSite& site, const Instr&) {
  const TileOp* op = site.what == call_op ? image_.ops[size_t(site.numbers[0])].get() : nullptr;
  const bool together = op ? op->together() : site.what != call_mma_wait;
  if (together && runner.active() < runner.lane_count() && !runner.neighbours()) {
    report(finding(FindingKind::divergence, runner.span(), nullptr,
                   "runs a tile operation in only some threads"));
    return Step::next;
  }
  if (interrupted() || (watch() && stop_watching() && halted_)) return Step::halt;
  if (op) {
    const bool once = op->threads == TileOp::Threads::together;
    const Step step = once ? op->run(*this, runner, site) : runner.run_lanes(*op, site);
    progress_ += step == Step::next || step == Step::after;
    return step;
  }
  switch (site.what) {
    case call_parallel: {
      TileRunner* lanes = parallels_[size_t(site.numbers[0])].get();
      return lanes ? lanes->run_parallel(runner, site) : Step::next;
    }
    case call_mma_wait: return async_->wait_matmuls(site.numbers[0]), Step::next;
    default: UNREACHABLE("unknown call");
  }
}

void TileBlock::add(Recorded record) {
  if (int64_t(result.records.size()) < options_.max_records)
    result.records.push_back({number_, std::move(record)});
  else
    ++result.lost_records;
}

}  // namespace tilelab::sim
