// SPDX-License-Identifier: Apache-2.0
// Functions of the user's source that were compiled for this machine: the models of foreign
// functions that have no other one. A `foreign` call with the attribute `host` executes one:
//   t = foreign(x0, x1, n, name="f", access="vvv", host="KEY f32 r2:f32 w4:f16 v:i32", index=[1,
//   3])
// `host`: its key, the dtype of its result, and its parameters: v, a value; r, w, u, memory of that
// many elements, of which r and u are operands of the call. `index`: the value of the call is that
// element of that parameter; without it, the result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/sim/program/run.h"

namespace tilelab::sim {

/// Takes the addresses of the arguments and of the result.
using HostedFunction = void (*)(void** arguments, void* result);
void add_hosted(const std::string& key, HostedFunction function);
/// Null if this process has no such function.
HostedFunction find_hosted(const std::string& key);

/// A call of one, at every level.
inline constexpr int32_t call_hosted = 514;

struct HostedParameter {
  char access = 'v';
  int64_t count = 1;
  DType dtype = DType::i32;
  bool given() const { return access != 'w'; }
};

/// The attribute `host` of a call.
struct HostedSignature {
  std::string key;
  std::optional<DType> result;
  std::vector<HostedParameter> parameters;
};
/// Nullopt if the text is none.
std::optional<HostedSignature> parse_hosted(const std::string& text);

/// Executes the call for each active lane.
void run_hosted(LaneRunner& runner, const CallSite& site);

}  // namespace tilelab::sim
