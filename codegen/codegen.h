// SPDX-License-Identifier: Apache-2.0
// IR at flat level -> C-like text for GPUs and for the host: one renderer, a spelling table per
// family.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/targets/target.h"

namespace tilelab::codegen {

struct RenderOptions {
  bool kernels = true;    // the device code
  bool host = false;      // the host section: checks, tensor maps, launches
  bool locations = true;  // `// cell 3:8` after statements
};

/// A location as written after a statement: "a.py:7" for a file in any directory, "cell 3:7".
std::string location(const Span& span);

/// A statement that records events; `site` is its index in the kernel.
struct RecordSite {
  RecordKind what = RecordKind::print;
  std::string message, buffer;
  std::vector<DType> values;  // in the order of the event's values; the index comes last
  int index_count = 0;        // how many of them are an index
  Span span;
};

/// Properties of a kernel that a launcher needs in addition to the text.
struct RenderedKernel {
  std::string name;                              // in C
  Symbol source;                                 // in the IR
  std::vector<Symbol> params;                    // in order
  bool records = false;                          // one more parameter at the end: tl_events*
  std::vector<RecordSite> sites;                 // by site number
  std::map<std::string, std::string> functions;  // that the kernel calls, by name
};

struct Rendered {
  std::string text;
  std::vector<RenderedKernel> kernels;
};

/// The maximum number of values of one event (tl_record.h).
inline constexpr int kEventValues = 6;

/// The text of `flat`, a function at flat level. Null after a reported error: an operation that the
/// target does not support, or one that is not implemented for it.
std::optional<Rendered> render(const Func& flat, const Target& target, const RenderOptions& options,
                               Diagnostics& sink);

}  // namespace tilelab::codegen
