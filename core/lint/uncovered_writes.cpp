// SPDX-License-Identifier: Apache-2.0
// Elements of a tensor with constant extents that no block writes in any execution: indices are
// bounded by intervals, and elements outside of all bounds are unwritten. Always reported for a
// tensor that a call allocates; for one that the caller passes, which may hold values to keep, only
// if it is a likely mistake: adjacent blocks start at its first element and leave less than one of
// them at the end, or there are too few of them here and too many in another dimension.
#include <algorithm>

#include "core/diagnostics/usage.h"
#include "core/ir/build.h"
#include "core/lint/lints.h"

namespace tilelab {
namespace {

/// The grid step whose last blocks are entirely out of bounds, or null.
const DimFootprint::Step* out_of_bounds_step(const DimFootprint& along) {
  const DimFootprint::Step* step = along.longest();
  return step && step->axis.blocks && step->by * (step->axis.count - 1) >= along.extent ? step
                                                                                        : nullptr;
}

/// The elements missing along one dimension.
class Missing {
 public:
  Missing(const AccessedTensor& tensor, size_t dim) : tensor_(tensor), dim_(dim) {
    extent_ = int_value(tensor.buffer->shape[dim]).value_or(0);
    lo_ = INT64_MAX;
    for (const TensorAccess& write : tensor.writes.all) {
      const DimFootprint& along = write.dims[dim];
      lo_ = std::min(lo_, along.lo);
      if (last_ && along.hi <= hi_) continue;
      last_ = &write, hi_ = along.hi;
    }
  }

  /// Returns whether it reported anything.
  bool report(Diagnostics& diagnostics) const {
    if (extent_ <= 0 || !last_ || lo_ >= extent_ || hi_ < 0) return false;
    if (tensor_.fresh && report_gaps(diagnostics)) return true;
    if (hi_ < extent_ - 1) return report_tail(diagnostics);
    if (!tensor_.fresh || lo_ <= 0) return false;
    add(diagnostics, 0, lo_).mark("starts at " + std::to_string(lo_)).help(write_all());
    return true;
  }

 private:
  Diagnostic& add(Diagnostics& diagnostics, int64_t from, int64_t to) const {
    return diagnostics.report(usage::unwritten_elements, last_->span,
                              part_of(*tensor_.buffer, dim_, from, to));
  }

  std::string write_all() const {
    return "unwritten elements keep their old values: write all of `" + tensor_.buffer->name.str() +
           "`, or make it smaller";
  }

  bool report_tail(Diagnostics& diagnostics) const {
    const int64_t end = hi_ + 1;
    const DimFootprint::Step* step = last_->dims[dim_].longest();
    const DimFootprint::Step* other = excess_step();
    const bool rounded = lo_ == 0 && step && extent_ - end < step->by;
    const bool exchanged = other && step && step->axis.blocks && step->by < extent_;
    if (!tensor_.fresh && !rounded && !exchanged) return false;
    Diagnostic& said = add(diagnostics, end, extent_);
    const std::string all = std::to_string(extent_);
    if (!step) {
      said.mark("ends at " + std::to_string(end) + " of " + all).help(write_all());
      return true;
    }
    const std::string by = std::to_string(step->by);
    said.label(step->axis.span, name_of(step->axis) + " cover " + std::to_string(end) + " of " +
                                    all + ", " + by + " each");
    if (exchanged)
      said.help("`" + step->axis.var.str() + "` has too few blocks here and `" +
                other->axis.var.str() + "` more than its dimension needs: exchange them, in " +
                "T.Kernel(...) or in the index");
    else
      said.help("T.ceildiv(" + all + ", " + by + ") " + kind_of(step->axis) +
                " write all of it: stores past its end are dropped");
    return true;
  }

  /// A grid step in another dimension that continues out of bounds.
  const DimFootprint::Step* excess_step() const {
    for (size_t d = 0; d < last_->dims.size(); ++d)
      if (const DimFootprint::Step* step = d == dim_ ? nullptr : out_of_bounds_step(last_->dims[d]))
        return step;
    return nullptr;
  }

  /// Reports that the same part is missing after each step.
  bool report_gaps(Diagnostics& diagnostics) const {
    int64_t first = INT64_MAX, end = 0, by = 0;
    for (const TensorAccess& write : tensor_.writes.all) {
      const DimFootprint& along = write.dims[dim_];
      if (along.steps.empty() || along.cut || (by != 0 && along.steps[0].by != by)) return false;
      by = along.steps[0].by;
      first = std::min(first, along.lo), end = std::max(end, along.lo + along.width);
    }
    if (end - first >= by || end >= extent_ || first != 0) return false;
    const IterationAxis& axis = last_->dims[dim_].steps[0].axis;
    add(diagnostics, end, std::min(first + by, extent_))
        .label(axis.span, name_of(axis) + " are " + std::to_string(by) + " apart and write " +
                              std::to_string(end - first) + " each")
        .help("let each write " + std::to_string(by) + ", or place them " +
              std::to_string(end - first) + " apart");
    return true;
  }

  const AccessedTensor& tensor_;
  size_t dim_;
  int64_t extent_ = 0, lo_ = 0, hi_ = 0;
  const TensorAccess* last_ = nullptr;  // the write with the largest index
};

}  // namespace

void warn_of_unwritten_elements(const std::vector<AccessedTensor>& tensors,
                                Diagnostics& diagnostics) {
  for (const AccessedTensor& tensor : tensors) {
    if (tensor.writes.is_unsupported) continue;
    for (size_t dim = 0; dim < tensor.buffer->shape.size(); ++dim)
      if (Missing(tensor, dim).report(diagnostics)) break;
  }
}

}  // namespace tilelab
