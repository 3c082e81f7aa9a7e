// SPDX-License-Identifier: Apache-2.0
// The driver's table as calls of the worker.
#include <cstdio>
#include <cstring>
#include <set>
#include <string>

#include "core/support/check.h"
#include "runtime/worker/worker.h"

namespace tilelab::runtime {

using worker::Call;
using worker::Message;

namespace {

/// A row whose parameter types determine its inputs and outputs.
template <Call call, class... A> Status plain(A... given) {
  static_assert(sizeof...(A) <= Message::kWords);
  Message message(call);
  size_t i = 0;
  auto pack = [&](auto value) {
    if constexpr (!worker::kWritten<decltype(value)>) message.words[i] = worker::word_of(value);
    ++i;
  };
  (pack(given), ...);
  const Status status = Worker::cuda().ask(message);
  i = 0;
  auto unpack = [&](auto value) {
    if constexpr (worker::kWritten<decltype(value)>)
      *value = worker::value_of<std::remove_pointer_t<decltype(value)>>(message.words[i]);
    ++i;
  };
  if (status != worker::kEnded) (unpack(given), ...);
  return status;
}
template <Call call, class... A> void fill(Status (*&row)(A...)) { row = &plain<call, A...>; }

// The other rows.

/// The current context is per thread and belongs to one worker.
Status make_current(Context context) {
  Worker::cuda().set_context(context);
  return 0;
}
Status current_context(Context* context) {
  *context = Worker::cuda().context();
  return 0;
}

/// Texts live as long as the process, like a driver's.
template <Call call> Status text_of(Status status, const char** text) {
  static std::set<std::string> texts;
  static std::mutex mutex;
  Message message(call);
  message.words[0] = worker::word_of(status);
  const Status answer = Worker::cuda().ask(message);
  const std::lock_guard lock(mutex);
  *text = answer == 0 ? texts.insert(message.text()).first->c_str() : nullptr;
  return answer;
}

Status device_name(char* name, int size, int device) {
  Message message(Call::device_name);
  message.words[0] = uint64_t(device);
  const Status status = Worker::cuda().ask(message);
  if (status == 0) std::snprintf(name, size_t(size), "%s", message.text().c_str());
  return status;
}

Status module_function(Function* function, Module module, const char* name) {
  Message message(Call::module_function);
  message.words[0] = worker::word_of(module);
  message.add(name, std::strlen(name));
  const Status status = Worker::cuda().ask(message);
  if (status == 0) *function = worker::value_of<Function>(message.words[0]);
  return status;
}

Status send_elements(Address to, const void* from, size_t bytes, Stream stream) {
  return Worker::cuda().copy_in(to, from, bytes, stream);
}

Status fetch_elements(void* to, Address from, size_t bytes, Stream stream) {
  return Worker::cuda().copy_out(to, from, bytes, stream);
}

/// Worker::load and Worker::launch have the sizes that are missing here.
template <class... A> Status without_sizes(A...) { UNREACHABLE("a call without its sizes"); }
template <class... A> void need_sizes(Status (*&row)(A...)) { row = &without_sizes<A...>; }

Status encode_map(void* map, int type, unsigned rank, Address base, const uint64_t* dims,
                  const uint64_t* strides, const unsigned* box, const unsigned* steps,
                  int interleave, int swizzle, int promotion, int outside) {
  worker::MapToEncode given{type, interleave, swizzle, promotion, outside, rank, {}, {}, base};
  std::memcpy(given.dims, dims, sizeof given.dims);
  std::memcpy(given.strides, strides, sizeof given.strides);
  std::memcpy(given.box, box, sizeof given.box);
  std::memcpy(given.steps, steps, sizeof given.steps);
  Message message(Call::encode_map);
  message.add(&given, sizeof given);
  const Status status = Worker::cuda().ask(message);
  if (status == 0) std::memcpy(map, message.data, worker::kMapBytes);
  return status;
}

}  // namespace

std::unique_ptr<Driver> Worker::driver() {
  auto made = std::make_unique<Driver>();
#define DRIVER(field, name, ...) fill<Call::field>(made->field);
#include "runtime/driver.def"
#undef DRIVER
  made->context_set = &make_current, made->context_current = &current_context;
  made->error_name = &text_of<Call::error_name>, made->error_text = &text_of<Call::error_text>;
  made->device_name = &device_name, made->module_function = &module_function;
  made->copy_in = &send_elements, made->copy_out = &fetch_elements;
  need_sizes(made->module_load), need_sizes(made->launch);
  const worker::EncodeTiled encode = &encode_map;
  made->map_encoder = reinterpret_cast<void*>(encode);
  made->worker = this;
  return made;
}

}  // namespace tilelab::runtime
