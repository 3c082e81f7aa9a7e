// SPDX-License-Identifier: Apache-2.0
// An instruction reads parts of the operand one by one. All parts must have the layout of the
// first, since one descriptor describes them all; with a swizzle, parts start at multiples of its
// period, except for steps along a row.
#include "core/passes/select_instructions/select_instructions.h"

#include <numeric>

#include "core/ir/build.h"

namespace tilelab {
namespace {

class Places {
 public:
  Places(const OperandTile& operand, const MatrixInstruction& row, const MatrixShape& inst,
         const KernelMemory& memory, const RangeAnalysis& facts)
      : operand_(operand),
        row_(row),
        memory_(memory),
        facts_(facts),
        bits_(bits(operand.region->type.dtype)),
        inst_(inst) {
    const bool is_a = operand.kind == MatrixOperand::a || operand.kind == MatrixOperand::a_mn;
    who_ = is_a ? "A" : "B";
    const int64_t mn = is_a ? inst.m : inst.n;
    part_ = k_major(operand.kind) ? Index{mn, inst.k} : Index{inst.k, mn};
  }

  std::vector<SharedForm> find(std::string& why) {
    const Buffer& buffer = *operand_.buffer;
    const std::string name = "`" + buffer.name.str() + "`";
    const auto seen = memory_.shape_of(operand_.region->buffer);
    if (!seen || seen->size() < 2)
      return why = who_ + " does not have two constant extents", Forms();
    seen_ = *seen;
    if (memory_.needs_plain_layout(buffer.name))
      return why = name + " is used by an intrinsic", Forms();
    if (buffer.where.known() || buffer.layout.known() || buffer.swizzle.known()) {
      why = name + " has another layout annotation";
      if (buffer.where.known()) return {};
      const SharedForm given{buffer.layout.known() ? buffer.layout : row_major(const_shape(buffer)),
                             buffer.swizzle};
      return refusal(given).empty() ? Forms{given} : Forms();
    }
    const int64_t rows = seen_[seen_.size() - 2], cols = seen_.back();
    why = who_ + " of " + std::to_string(rows) + " x " + std::to_string(cols) +
          " has no layout that it reads";
    Forms out;
    for (const SharedOperand& form :
         operands_in_shared(row_, operand_.kind, rows, cols, bits_, inst_)) {
      const auto whole = of_buffer(form);
      std::string refused = whole ? refusal(*whole) : "a view of " + name + " cuts its rows";
      if (refused.empty())
        out.push_back(*whole);
      else
        why = refused;
    }
    return out;
  }

 private:
  using Forms = std::vector<SharedForm>;

  /// Lays out the matrices of the leading dimensions one after another, each at a multiple of the
  /// swizzle's period, for the buffer and all its views.
  std::optional<SharedForm> of_buffer(const SharedOperand& form) const {
    const Buffer& buffer = *operand_.buffer;
    Layout seen = form.layout;
    const int64_t period = std::max<int64_t>(1, period_of(form.swizzle) * 8 / bits_);
    int64_t stride = (extent(seen, 'a') + period - 1) / period * period;
    for (size_t d = seen_.size() - 2; d-- > 0; stride *= seen_[d]) {
      seen.shape.insert(seen.shape.begin(), seen_[d]);
      seen.dims.insert(seen.dims.begin(), Digits{a_digit(seen_[d], stride)});
    }
    const int64_t own = bits(buffer.dtype);
    const auto layout =
        operand_.viewed() ? reshape(seen, const_shape(buffer), bits_, own) : std::optional(seen);
    if (!layout) return std::nullopt;
    for (const View* view : memory_.views_of_buffer(buffer.name)) {
      const auto shape = memory_.shape_of(view->name);
      if (!shape || !reshape(*layout, *shape, own, bits(view->dtype))) return std::nullopt;
    }
    return SharedForm{*layout, form.swizzle};
  }

  static int64_t period_of(const Swizzle& swizzle) {
    return swizzle.known() ? int64_t{swizzle.line} * (swizzle.mask + 1) : 1;
  }

  /// The reason why the instruction cannot read its parts in this layout; "" if it can.
  std::string refusal(const SharedForm& form) const {
    if (!row_.asynchronous) return "";
    const auto seen = reshape(form.layout, seen_, bits(operand_.buffer->dtype), bits_);
    if (!seen) return "`" + operand_.region->buffer.str() + "` cuts through its rows";
    const size_t first = seen_.size() - 2;
    for (size_t d = 0; d < seen_.size(); ++d)
      if (const int64_t step = begins_badly(*seen, d, form.swizzle); step >= 0)
        return who_ + " starts at multiples of " + std::to_string(step) +
               (d < first    ? " matrices"
                : d == first ? " rows"
                             : " columns") +
               ", not at those that it reads";
    const Layout tile{part_, {seen->dims[first], seen->dims[first + 1]}, {}, 0};
    return descriptor_fields(row_, operand_.kind, tile, form.swizzle, bits_)
               ? ""
               : "no descriptor describes the layout of " + who_;
  }

  /// The parts begin along a dimension at multiples of this.
  int64_t step_of(size_t d) const {
    const int64_t begins = facts_.range(operand_.region->dims[d].lo).multiple;
    const size_t first = seen_.size() - 2;
    return d < first ? begins : std::gcd(begins, part_[d - first]);
  }

  /// The step of a dimension along which some part does not have the first one's layout, or -1.
  int64_t begins_badly(const Layout& seen, size_t d, const Swizzle& swizzle) const {
    const size_t first = seen_.size() - 2;
    const int64_t step = step_of(d), part = d < first ? 1 : part_[d - first];
    const int64_t period = period_of(swizzle), line = (swizzle.mask + 1) * int64_t{16};
    for (int64_t at = step; step > 0 && at + part <= seen_[d]; at += step) {
      const int64_t start = contribution(seen, d, at).address;
      for (int64_t i = 1; i < part; ++i)
        if (contribution(seen, d, at + i).address - start != contribution(seen, d, i).address)
          return step;
      const int64_t byte = start * bits_ / 8;
      const bool along_row = d == first + 1;
      if (row_.shared == SharedRule::lines_128 &&
          (along_row ? byte % period >= line || byte % 16 != 0 : byte % period != 0))
        return step;
      if (row_.shared == SharedRule::lines_256 && !along_row && swizzle.known() &&
          byte % (d < first ? period : swizzle.line) != 0)
        return step;
    }
    return -1;
  }

  const OperandTile& operand_;
  const MatrixInstruction& row_;
  const KernelMemory& memory_;
  const RangeAnalysis& facts_;
  const int64_t bits_;
  const MatrixShape inst_;
  Index part_;  // rows and columns that one instruction reads
  Index seen_;  // shape of the operand's name
  std::string who_;
};

}  // namespace

std::vector<SharedForm> forms_of(const OperandTile& operand, const MatrixInstruction& row,
                                 const MatrixShape& inst, const KernelMemory& memory,
                                 const RangeAnalysis& facts, std::string& why) {
  return Places(operand, row, inst, memory, facts).find(why);
}

}  // namespace tilelab
