// SPDX-License-Identifier: Apache-2.0
#include "views/report_view.h"

#include "core/support/text.h"

namespace tilelab {
namespace {

std::string element_text(const std::string& buffer, const std::vector<int64_t>& element) {
  return buffer + "[" + join(element, ", ") + "]";
}

/// The statement that produced it, and those that propagated it.
void write_origin(const std::vector<sim::OriginStep>& origin, StyledText& out) {
  std::vector<LineRow> rows;
  for (const sim::OriginStep& step : origin)
    rows.push_back(line_row(step.span, (step.actor.empty() ? "" : step.actor + ": ") + step.what));
  write_rows(rows, out);
  out.add("help", Style::added).add(": check the first line: its operands are numbers\n\n");
}

/// NaN and infinity without a finding that explains them.
void write_not_finite(const sim::NotFinite& one, StyledText& out) {
  const char* what = one.nan && one.inf ? "NaN or infinity" : one.nan ? "NaN" : "infinity";
  out.add("note", Style::type)
      .add(": " + std::to_string(one.nan + one.inf) + " of " + plural(one.elements, "element") +
           " of " + one.buffer + (one.nan + one.inf == 1 ? " is " : " are ") + what +
           ", and no input is; the first is " + element_text(one.buffer, one.first) +
           (one.origin.empty() ? "" : ", starting in " + block_text(one.origin[0].block)) + "\n");
  if (!one.origin.empty()) return write_origin(one.origin, out);
  out.add("help", Style::added)
      .add(
          ": the computation produced them: a division by 0, inf - inf, the root or logarithm of a "
          "negative\n      number, or an overflow; T.print shows the values there\n\n");
}

/// An output that had values before: perhaps only a part was to be written.
void write_unwritten(std::span<const CheckedRun> runs, StyledText& out) {
  for (const CheckedRun& run : runs) {
    for (const sim::Unwritten& one : run.result.unwritten)
      out.add("note", Style::type)
          .add(": " + std::to_string(one.count) + " of " + plural(one.elements, "element") +
               " of " + one.buffer + " keep their old value; the first is " +
               element_text(one.buffer, one.first) + "\n")
          .add("help", Style::added)
          .add(
              ": if all should be written, check the grid (T.ceildiv, not //) and the conditions "
              "of stores\n\n");
    if (!run.result.unwritten.empty()) return;  // other levels have the same
  }
}

void write_all_not_finite(std::span<const CheckedRun> runs, StyledText& out) {
  for (const CheckedRun& run : runs) {
    for (const sim::NotFinite& one : run.result.not_finite) write_not_finite(one, out);
    if (!run.result.not_finite.empty()) return;  // other levels have the same
  }
}

}  // namespace

void write_output_notes(std::span<const CheckedRun> runs, StyledText& out) {
  write_all_not_finite(runs, out);
  write_unwritten(runs, out);
}

}  // namespace tilelab
