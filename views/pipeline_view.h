// SPDX-License-Identifier: Apache-2.0
// Views of a function in the pass pipeline: the table of passes, the IR after one of them, their
// changes, the generated code, the layouts of its buffers.
#pragma once

#include <optional>

#include "core/diagnostics/diagnostics.h"
#include "core/passes/pass.h"
#include "views/layout_view.h"
#include "views/models.h"
#include "views/shown.h"

namespace tilelab {

/// "384 threads: 256 consumers, 128 producers", of each kernel.
std::string threads_text(const Func& func);

PipelineRun pipeline_run(const PipelineResult& result, const std::string& name);
/// %passes: time, changed lines, decisions. `name` is the kernel's full name.
Shown show_passes(const PipelineResult& result, const std::string& name);
/// %passes without a kernel: the table of passes itself.
Shown show_pass_list();

KernelIr kernel_ir(const Func& func, const std::string& name, bool spans = false);
/// %ir: the function in the DSL's syntax; with `spans`, the source location of each statement.
Shown show_ir(const Func& func, const std::string& name, bool spans = false);

/// %diff k: the changes of every pass after `from` up to `to` ("" = the whole pipeline). Null with
/// `problem` if one of them did not run.
std::optional<Shown> show_pass_diff(const PipelineResult& result, const std::string& name,
                                    const std::string& from, const std::string& to,
                                    std::string* problem);

/// Which calls on a GPU run the variant for aligned rows (core/host/row_multiples.h), "" if none.
std::string note_of_aligned_calls(const Func& func);

struct SourceOptions {
  bool host = false;  // the host section instead of the kernels
};
std::optional<KernelSource> kernel_source(const Func& flat, const std::string& name,
                                          const SourceOptions& options, Diagnostics& sink);
/// %source: the code for the function's target. Null after a reported error.
std::optional<Shown> show_source(const Func& flat, const std::string& name,
                                 const SourceOptions& options, Diagnostics& sink);

/// A buffer's layout in the function: fragments and locals by thread, shared buffers by address.
/// Null with `problem`: no such buffer (suggests the nearest name), or no layout yet.
std::optional<LayoutSubject> subject_of(const Func& func, const std::string& buffer,
                                        std::string* problem);
/// Buffers with a layout, in program order.
std::vector<std::string> buffers_with_layout(const Func& func);

/// The snapshot that a view shows: `--after P`, `--level L`, by default the last one at tile level.
/// Null with `problem`.
const Snapshot* choose_snapshot(const PipelineResult& result, const std::string& after,
                                const std::string& level, std::string* problem);

}  // namespace tilelab
