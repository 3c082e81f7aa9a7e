// SPDX-License-Identifier: Apache-2.0
// Intrusive shared pointer to an immutable object with a member `std::atomic<uint32_t> refs`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tilelab {

template <class T> class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* object) : object_(object) { retain(); }
  Ref(const Ref& other) : object_(other.object_) { retain(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  requires requires(U* u, T*& t) { t = u; }
  Ref(const Ref<U>& other) : object_(other.get()) { retain(); }
  ~Ref() { release(); }
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// Identity; core/ir/compare.h has structural equality.
  bool same(const Ref& other) const { return object_ == other.object_; }

 private:
  void retain() {
    if (object_) object_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  void release() {
    if (object_ && object_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(object_);
  }
  T* object_ = nullptr;
};

}  // namespace tilelab
