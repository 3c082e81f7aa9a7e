// SPDX-License-Identifier: Apache-2.0
// Elements at an end of a tensor with constant extents that no block reads in any execution:
// indices are bounded by intervals, conditions are assumed to hold. A caller may pass more elements
// than the kernel reads, so it only reports likely mistakes:
//   - blocks or iterations are adjacent, starting at the first element, and at most one of them is
//     missing at the end (K // 32 blocks, off by one), or they end at the extent of another
//     dimension of the tensor (a loop over M in place of K);
//   - they overlap by half or more, not a window that slides: the index lacks its factor (`k` for
//     `k * 32`);
//   - the first iterations are missing, since a loop begins at 1;
//   - a block index or a loop variable that would cover all of the dimension is not in the access.
#include <algorithm>

#include "core/diagnostics/usage.h"
#include "core/ir/build.h"
#include "core/lint/lints.h"

namespace tilelab {
namespace {

/// The elements missing along one dimension.
class UnreadPart {
 public:
  UnreadPart(const AccessedTensor& tensor, size_t dim) : tensor_(tensor), dim_(dim) {
    extent_ = int_value(tensor.buffer->shape[dim]).value_or(0);
    for (const TensorAccess& read : tensor.reads.all) {
      const DimFootprint& along = read.dims[dim];
      lo_ = std::min(lo_, along.lo), hi_ = std::max(hi_, along.hi);
    }
    for (const TensorAccess& read :
         tensor.reads.all) {  // the widest of those with the largest index
      const DimFootprint& along = read.dims[dim];
      if (along.hi == hi_ && (!last_ || along.width > last_->dims[dim].width)) last_ = &read;
    }
  }

  void report(Diagnostics& diagnostics) const {
    if (extent_ <= 0 || !last_ || lo_ < 0 || lo_ >= extent_ || hi_ < 0) return;
    if (lo_ > 0) return report_late_start(diagnostics);
    const DimFootprint& along = last_->dims[dim_];
    if (hi_ >= extent_ - 1 || along.width > extent_) return;
    if (const DimFootprint::Step* step = along.overlapping()) return overlaps(*step, diagnostics);
    const DimFootprint::Step* step = along.longest();
    if (!step || !report_too_few(*step, diagnostics)) report_missing_index(diagnostics);
  }

 private:
  Diagnostic& add(Diagnostics& diagnostics, int64_t from, int64_t to) const {
    return diagnostics.report(usage::unread_elements, last_->span,
                              part_of(*tensor_.buffer, dim_, from, to));
  }

  /// Reports that the first iterations of a loop that does not begin at 0 are missing.
  void report_late_start(Diagnostics& diagnostics) const {
    for (const TensorAccess& read : tensor_.reads.all) {
      const DimFootprint& along = read.dims[dim_];
      const auto late = std::find_if(along.steps.begin(), along.steps.end(), [&](const auto& step) {
        return step.axis.begin > 0 && step.axis.count > 1 && step.by == along.width &&
               step.by * step.axis.begin == lo_ && hi_ + step.by >= extent_;
      });
      if (along.lo != lo_ || late == along.steps.end()) continue;
      const IterationAxis& axis = late->axis;
      diagnostics.report(usage::unread_elements, read.span, part_of(*tensor_.buffer, dim_, 0, lo_))
          .label(axis.span, axis.var.str() + " starts at " + std::to_string(axis.begin))
          .help("start the loop at 0, or read the elements before it separately");
      return;
    }
  }

  void overlaps(const DimFootprint::Step& step, Diagnostics& diagnostics) const {
    // Elements that a loop reads one by one may be those of a window that slides.
    if (extent_ - 1 - hi_ < step.by || (!last_->copied && !step.axis.blocks)) return;
    const int64_t reach = reach_below(step);
    add(diagnostics, hi_ + 1, extent_)
        .label(step.axis.span, name_of(step.axis) + " are " + std::to_string(step.by) +
                                   " apart and read " + std::to_string(reach) + " each")
        .help("start each after the previous one: " + step.axis.var.str() + " * " +
              std::to_string(reach) + " in place of " + product(step));
  }

  static std::string product(const DimFootprint::Step& step) {
    return step.axis.var.str() + (step.by == 1 ? "" : " * " + std::to_string(step.by));
  }

  /// The extent that one block or iteration of the step reads.
  int64_t reach_below(const DimFootprint::Step& step) const {
    int64_t reach = last_->dims[dim_].width;
    for (const DimFootprint::Step& below : last_->dims[dim_].steps) {
      if (below.axis == step.axis) break;
      reach += below.by * (below.axis.count - 1);
    }
    return reach;
  }

  bool report_too_few(const DimFootprint::Step& step, Diagnostics& diagnostics) const {
    const int64_t end = hi_ + 1, rest = extent_ - end;
    if (!last_->copied || (rest > step.by && !ends_at_other_extent(end))) return false;
    const std::string by = std::to_string(step.by), all = std::to_string(extent_);
    add(diagnostics, end, extent_)
        .mark("the last block of " + by + " ends at " + std::to_string(end) + " of " + all)
        .label(step.axis.span, name_of(step.axis))
        .help("T.ceildiv(" + all + ", " + by + ") " + kind_of(step.axis) +
              " read all of it: past its end they read 0");
    return true;
  }

  bool ends_at_other_extent(int64_t end) const {
    for (size_t d = 0; d < tensor_.buffer->shape.size(); ++d)
      if (d != dim_ && is_int(tensor_.buffer->shape[d], end)) return true;
    return false;
  }

  /// Reports a block index, or an enclosing loop variable, that would cover the dimension.
  void report_missing_index(Diagnostics& diagnostics) const {
    const int64_t each = hi_ + 1;
    for (const IterationAxis& axis : last_->around) {
      const bool all = axis.count > 1 && axis.count == (extent_ + each - 1) / each;
      if (!all || !(last_->moves || each > 1) || !all_omit(axis)) continue;
      add(diagnostics, each, extent_)
          .label(axis.span, name_of(axis) + " read all of it, " + std::to_string(each) + " each")
          .help("`" + axis.var.str() + "` is missing in the index: " + axis.var.str() +
                (each == 1 ? "" : " * " + std::to_string(each)));
      return;
    }
  }

  bool all_omit(const IterationAxis& axis) const {
    return std::all_of(
        tensor_.reads.all.begin(), tensor_.reads.all.end(), [&](const TensorAccess& read) {
          return std::find(read.around.begin(), read.around.end(), axis) != read.around.end();
        });
  }

  const AccessedTensor& tensor_;
  size_t dim_;
  int64_t extent_ = 0, lo_ = INT64_MAX, hi_ = -1;
  const TensorAccess* last_ = nullptr;  // the read with the largest index
};

}  // namespace

void warn_of_unread_elements(const std::vector<AccessedTensor>& tensors, Diagnostics& diagnostics) {
  for (const AccessedTensor& tensor : tensors) {
    if (tensor.reads.is_unsupported) continue;
    for (size_t dim = 0; dim < tensor.buffer->shape.size(); ++dim)
      UnreadPart(tensor, dim).report(diagnostics);
  }
}

}  // namespace tilelab
