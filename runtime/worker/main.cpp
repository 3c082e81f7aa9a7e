// SPDX-License-Identifier: Apache-2.0
// The worker program: it executes the session's driver calls one at a time, and ends with the
// session.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "runtime/worker/protocol.h"

namespace tilelab::runtime::worker {
namespace {

constexpr size_t kMostParameters = 256;

struct Worker {
  std::unique_ptr<Driver> driver;
  Context context = nullptr;  // the current one
  char* shared = nullptr;
};

/// Unpacks calls by their types: output parameters get buffers here, which are returned as words.
template <class... A, size_t... I>
void serve_plain(Status (*function)(A...), Message& m, std::index_sequence<I...>) {
  std::tuple<std::conditional_t<kWritten<A>, std::remove_pointer_t<A>, char>...> room{};
  const auto given = [&]<size_t Index, class T>() -> T {
    if constexpr (kWritten<T>)
      return &std::get<Index>(room);
    else
      return value_of<T>(m.words[Index]);
  };
  m.status = function(given.template operator()<I, A>()...);
  const auto take = [&]<size_t Index, class T>() {
    if constexpr (kWritten<T>) m.words[Index] = word_of(std::get<Index>(room));
  };
  (take.template operator()<I, A>(), ...);
  m.bytes = 0;
}
template <class... A> void serve_plain(Status (*function)(A...), Message& m) {
  serve_plain(function, m, std::index_sequence_for<A...>());
}

void answer_text(Message& m, const std::string& text) {
  m.bytes = 0;
  m.add(text.data(), text.size());
}

/// Names and texts of a status, in the driver's memory.
void serve_text(Status (*function)(Status, const char**), Message& m) {
  const char* text = nullptr;
  m.status = function(value_of<Status>(m.words[0]), &text);
  answer_text(m, text ? text : "");
}

void serve_launch(const Driver& driver, Message& m) {
  alignas(64) static char room[kMostParameters][kMapBytes];  // a tensor map is aligned to 64
  void* params[kMostParameters];
  const char* at = m.data;
  for (size_t i = 0; i < kMostParameters && at < m.data + m.bytes; ++i) {
    ParameterSize size = 0;
    std::memcpy(&size, at, sizeof size);
    std::memcpy(room[i], at + sizeof size, size);
    params[i] = room[i];
    at += sizeof size + size;
  }
  const auto word = [&](size_t i) { return unsigned(m.words[i]); };
  m.status = driver.launch(value_of<Function>(m.words[0]), word(1), word(2), word(3), word(4), 1, 1,
                           word(5), value_of<Stream>(m.words[6]), params, nullptr);
  m.bytes = 0;
}

void serve_map(const Driver& driver, Message& m) {
  MapToEncode given;
  std::memcpy(&given, m.data, sizeof given);
  alignas(64) char map[kMapBytes] = {};
  const auto encode = reinterpret_cast<EncodeTiled>(driver.map_encoder);
  constexpr Status kNotFound = 500;
  m.status = !encode ? kNotFound
                     : encode(map, given.type, given.rank, given.base, given.dims, given.strides,
                              given.box, given.steps, given.interleave, given.swizzle,
                              given.promotion, given.outside);
  m.bytes = 0;
  m.add(map, sizeof map);
}

void serve_open(Worker& worker, Message& m) {
  static std::string parts[5];  // device, prefix, library, variable, the map encoder
  for (size_t i = 0, at = 0; i < 5; at += parts[i++].size() + 1) parts[i] = m.data + at;
  static DriverSource source;
  source = {parts[0].c_str(), parts[1].c_str(), parts[2].c_str(), parts[3].c_str(), "", "",
            parts[4].c_str()};
  std::string problem;
  worker.driver = Driver::open(source, &problem);
  if (!worker.driver) problem = "no driver (" + problem + ")";
  const Status status = worker.driver ? worker.driver->init(0) : 0;
  if (status != 0) problem = "the driver failed to start: " + worker.driver->status_text(status);
  m.status = 0;
  answer_text(m, problem);
}

void serve(Worker& worker, Message& m) {
  const auto call = static_cast<Call>(m.call);
  if (call == Call::open) return serve_open(worker, m);
  const Driver& driver = *worker.driver;
  if (m.context && m.context != worker.context) {
    m.status = driver.context_set(m.context);
    if (m.status != 0) return;
    worker.context = m.context;
  }
  char name[128] = "";
  switch (call) {
    case Call::error_name: return serve_text(driver.error_name, m);
    case Call::error_text: return serve_text(driver.error_text, m);
    case Call::device_name:
      m.status = driver.device_name(name, sizeof name, int(m.words[0]));
      return answer_text(m, name);
    case Call::copy_in:
      m.status =
          driver.copy_in(m.words[0], worker.shared, m.words[1], value_of<Stream>(m.words[2]));
      return;
    case Call::copy_out:
      m.status =
          driver.copy_out(worker.shared, m.words[0], m.words[1], value_of<Stream>(m.words[2]));
      return;
    case Call::module_load: {
      Module made = nullptr;
      m.status = driver.module_load(&made, worker.shared);
      m.words[0] = word_of(made);
      return;
    }
    case Call::module_function: {
      Function made = nullptr;
      m.status = driver.module_function(&made, value_of<Module>(m.words[0]), m.text().c_str());
      m.words[0] = word_of(made);
      m.bytes = 0;
      return;
    }
    case Call::launch: return serve_launch(driver, m);
    case Call::encode_map: return serve_map(driver, m);
#define PLAIN(field) \
  case Call::field: return serve_plain(driver.field, m);
      PLAIN(init)
      PLAIN(version)
      PLAIN(device_count)
      PLAIN(device_get)
      PLAIN(device_attribute)
      PLAIN(context_retain)
      PLAIN(memory_info)
      PLAIN(allocate)
      PLAIN(release)
      PLAIN(fill)
      PLAIN(function_set)
      PLAIN(stream_query)
      PLAIN(event_create)
      PLAIN(event_destroy)
      PLAIN(event_record)
      PLAIN(event_elapsed)
#undef PLAIN
    case Call::context_current:  // threads of the session have separate ones
    case Call::context_set:
    case Call::open: break;
  }
}

/// Ends this process when the session's has ended, even during a driver call.
void end_with_the_session() {
  char byte;
  while (read(kLife, &byte, 1) > 0) continue;
  _exit(0);
}

int run() {
  signal(SIGINT, SIG_IGN);  // the session handles it and ends this process
  Worker worker;
  void* shared = mmap(nullptr, kShared, PROT_READ | PROT_WRITE, MAP_SHARED, kMemory, 0);
  if (shared == MAP_FAILED) return 1;
  worker.shared = static_cast<char*>(shared);
  for (int fd : {kSocket, kLife, kMemory}) fcntl(fd, F_SETFD, FD_CLOEXEC);
  std::thread(end_with_the_session).detach();
  const auto message = std::make_unique<Message>();
  while (recv(kSocket, message.get(), sizeof *message, 0) > 0) {
    serve(worker, *message);
    if (send(kSocket, message.get(), message->size(), MSG_NOSIGNAL) < 0) break;
  }
  return 0;
}

}  // namespace
}  // namespace tilelab::runtime::worker

int main() {
  const int status = tilelab::runtime::worker::run();
  _exit(status);  // the driver's exit handlers may wait for a kernel
}
