// SPDX-License-Identifier: Apache-2.0
// Vector clocks with copy-on-write, and sets of lanes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilelab::sim {

/// Lanes of one warp (at most 128).
struct LaneMask {
  uint64_t word[2] = {0, 0};

  static LaneMask first(int n) {
    LaneMask m;
    m.word[0] = n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
    m.word[1] = n <= 64 ? 0 : n >= 128 ? ~uint64_t{0} : (uint64_t{1} << (n - 64)) - 1;
    return m;
  }
  static LaneMask one(int lane) {
    LaneMask m;
    m.set(lane);
    return m;
  }
  bool test(int lane) const { return word[lane >> 6] >> (lane & 63) & 1; }
  void set(int lane) { word[lane >> 6] |= uint64_t{1} << (lane & 63); }
  bool any() const { return word[0] | word[1]; }
  int count() const { return std::popcount(word[0]) + std::popcount(word[1]); }
  int lowest() const {
    return word[0] ? std::countr_zero(word[0]) : 64 + std::countr_zero(word[1]);
  }
  bool several() const {
    return (word[0] & (word[0] - 1)) || (word[1] & (word[1] - 1)) || (word[0] && word[1]);
  }
  bool operator==(const LaneMask&) const = default;
  LaneMask operator&(const LaneMask& o) const {
    return {{word[0] & o.word[0], word[1] & o.word[1]}};
  }
  LaneMask operator|(const LaneMask& o) const {
    return {{word[0] | o.word[0], word[1] | o.word[1]}};
  }
  LaneMask operator~() const { return {{~word[0], ~word[1]}}; }
  bool contains(const LaneMask& o) const { return (o & *this) == o; }

  template <class F> void for_each(F&& f) const {
    for (int w = 0; w < 2; ++w)
      for (uint64_t left = word[w]; left; left &= left - 1) f(w * 64 + std::countr_zero(left));
  }
};

/// component[actor] = the known part of that actor's past. Copies share storage until one changes.
class Clock {
 public:
  uint32_t operator[](uint32_t actor) const { return v_ && actor < v_->size() ? (*v_)[actor] : 0; }
  const uint32_t* data() const { return v_ ? v_->data() : nullptr; }
  uint32_t size() const { return v_ ? uint32_t(v_->size()) : 0; }
  void raise(uint32_t actor, uint32_t to) {
    if ((*this)[actor] >= to) return;
    own(actor + 1);
    (*v_)[actor] = to;
  }
  void join(const Clock& other) {
    if (!other.v_ || v_ == other.v_) return;
    if (!v_) {
      v_ = other.v_;
      return;
    }
    own(other.size());
    uint32_t* mine = v_->data();
    const uint32_t* theirs = other.v_->data();
    for (uint32_t i = 0, n = other.size(); i < n; ++i) mine[i] = std::max(mine[i], theirs[i]);
  }
  /// The minimum of both.
  void intersect(const Clock& other) {
    if (v_ == other.v_) return;
    if (!v_ || !other.v_) {
      v_ = nullptr;
      return;
    }
    own(0);
    if (v_->size() > other.size()) v_->resize(other.size());
    for (uint32_t i = 0; i < v_->size(); ++i) (*v_)[i] = std::min((*v_)[i], other[i]);
  }

 private:
  void own(uint32_t size) {
    if (!v_) {
      v_ = std::make_shared<std::vector<uint32_t>>(size);
    } else {
      if (v_.use_count() > 1) v_ = std::make_shared<std::vector<uint32_t>>(*v_);
      if (v_->size() < size) v_->resize(size);
    }
  }
  std::shared_ptr<std::vector<uint32_t>> v_;
};

}  // namespace tilelab::sim
