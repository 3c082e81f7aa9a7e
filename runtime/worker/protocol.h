// SPDX-License-Identifier: Apache-2.0
// The protocol between a session and its worker, which makes driver calls for the session: one
// request message per call and one response, over a sequenced-packet socket. Elements and images go
// through shared memory. The calls are the rows of driver.def, so that most are packed and unpacked
// by their types alone.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime/driver.h"

namespace tilelab::runtime::worker {

/// File descriptors at the start of a worker: the socket, a pipe that closes with the session,
/// shared memory.
inline constexpr int kSocket = 3, kLife = 4, kMemory = 5;
/// Bytes of the shared memory; larger data are split.
inline constexpr size_t kShared = size_t(32) << 20;
/// The status of a call whose worker ended before it responded.
inline constexpr Status kEnded = -1;

enum class Call : uint32_t {
#define DRIVER(field, name, ...) field,
#include "runtime/driver.def"
#undef DRIVER
  open,        // the driver of this process; the response's text has the error
  encode_map,  // cuTensorMapEncodeTiled
};

/// A request with its values, or a response: the status and the outputs.
struct Message {
  static constexpr size_t kWords = 13, kData = size_t(24) << 10;

  uint32_t call = 0;
  int32_t status = 0;
  Context context = nullptr;  // of the caller's thread; null: none yet
  uint64_t bytes = 0;         // of data
  uint64_t words[kWords] = {};
  char data[kData];

  Message() {}  // data is not cleared: most messages have none
  explicit Message(Call which) : call(uint32_t(which)) {}
  size_t size() const { return sizeof(Message) - kData + bytes; }
  /// False if it does not fit.
  bool add(const void* from, size_t count) {
    if (bytes + count > kData) return false;
    std::memcpy(data + bytes, from, count);
    bytes += count;
    return true;
  }
  /// The data as text.
  std::string text() const { return std::string(data, bytes); }
};

/// Whether a parameter of this type is an output.
template <class T>
inline constexpr bool kWritten =
    std::is_pointer_v<T> && !std::is_const_v<std::remove_pointer_t<T>> &&
    (std::is_arithmetic_v<std::remove_pointer_t<T>> || std::is_pointer_v<std::remove_pointer_t<T>>);

template <class T> uint64_t word_of(T value) {
  static_assert(sizeof(T) <= sizeof(uint64_t) && std::is_trivially_copyable_v<T>);
  uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}
template <class T> T value_of(uint64_t word) {
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

/// cuTensorMapEncodeTiled.
using EncodeTiled = Status (*)(void* map, int type, unsigned rank, Address base,
                               const uint64_t* dims, const uint64_t* strides, const unsigned* box,
                               const unsigned* steps, int interleave, int swizzle, int promotion,
                               int outside);
/// Its values in a message's data.
struct MapToEncode {
  int type, interleave, swizzle, promotion, outside;
  unsigned rank, box[5], steps[5];
  Address base;
  uint64_t dims[5], strides[5];
};
inline constexpr size_t kMapBytes = 128;

/// The header of a kernel parameter in a message of `launch`; its bytes follow.
using ParameterSize = uint32_t;

}  // namespace tilelab::runtime::worker
