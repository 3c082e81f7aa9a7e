// SPDX-License-Identifier: Apache-2.0
#include "core/sim/program/hosted.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "core/support/fork_safe.h"
#include "core/support/text.h"

namespace tilelab::sim {

namespace {

ForkSafe<std::mutex> mutex;
std::unordered_map<std::string, HostedFunction>& functions() {
  static auto* all = new std::unordered_map<std::string, HostedFunction>;
  return *all;
}

std::optional<HostedParameter> parse_parameter(const std::string& text) {
  const size_t colon = text.find(':');
  if (text.empty() || colon == text.npos) return std::nullopt;
  const auto dtype = dtype_from_name(text.substr(colon + 1));
  const std::string count = text.substr(1, colon - 1);
  if (!dtype || (!count.empty() && (!is_digits(count) || count.size() > 6))) return std::nullopt;
  return HostedParameter{text[0], count.empty() ? 1 : std::atoll(count.c_str()), *dtype};
}

}  // namespace

void add_hosted(const std::string& key, HostedFunction function) {
  const std::lock_guard lock(mutex);
  functions()[key] = function;
}

HostedFunction find_hosted(const std::string& key) {
  const std::lock_guard lock(mutex);
  const auto found = functions().find(key);
  return found == functions().end() ? nullptr : found->second;
}

std::optional<HostedSignature> parse_hosted(const std::string& text) {
  const std::vector<std::string> words = split(text, ' ');
  if (words.size() < 2) return std::nullopt;
  HostedSignature out;
  out.key = words[0];
  if (words[1] != "-") {
    out.result = dtype_from_name(words[1]);
    if (!out.result) return std::nullopt;
  }
  for (size_t i = 2; i < words.size(); ++i) {
    const auto parameter = parse_parameter(words[i]);
    if (!parameter) return std::nullopt;
    out.parameters.push_back(*parameter);
  }
  return out;
}

void run_hosted(LaneRunner& runner, const CallSite& site) {
  const HostedFunction function = find_hosted(site.text.substr(0, site.text.find(' ')));
  const HostedSignature signature = *parse_hosted(site.text);
  const int64_t chosen = site.numbers[0], element = site.numbers[1];
  const int size = elem_bytes(site.elem);
  std::vector<std::vector<uint64_t>> memory;
  std::vector<void*> arguments;
  for (const HostedParameter& parameter : signature.parameters)
    memory.emplace_back(size_t(parameter.count * elem_bytes(parameter.dtype) + 15) / 8);
  for (auto& each : memory) arguments.push_back(each.data());
  uint64_t result[2] = {};
  runner.active_lanes().for_each([&](int lane) {
    size_t operand = 0;
    for (size_t p = 0; p < memory.size(); ++p) {
      const HostedParameter& parameter = signature.parameters[p];
      const int bytes = elem_bytes(parameter.dtype);
      std::fill(memory[p].begin(), memory[p].end(), 0);
      for (int64_t i = 0; parameter.given() && i < parameter.count; ++i)
        std::memcpy(reinterpret_cast<char*>(memory[p].data()) + i * bytes,
                    runner.at(site.operands[operand++].regs[0]) + lane * bytes, size_t(bytes));
    }
    function(arguments.data(), result);
    const void* from =
        chosen < 0 ? static_cast<const void*>(result)
                   : reinterpret_cast<char*>(memory[size_t(chosen)].data()) + element * size;
    std::memcpy(runner.at(site.results[0]) + lane * size, from, size_t(size));
  });
}

}  // namespace tilelab::sim
