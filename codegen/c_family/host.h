// SPDX-License-Identifier: Apache-2.0
// The host section in C++: argument checks, tensor maps and launches of a call.
#pragma once

#include <string>
#include <vector>

#include "codegen/codegen.h"

namespace tilelab::codegen {

/// One extern "C" function per IR function, NAME_host (NAME alone may be a C function), which uses
/// the header tl_host.h.
std::string host_section(const Func& func, const Target& target,
                         const std::vector<RenderedKernel>& kernels);

/// "{2, 32}": the DLPack code of a dtype, as in tl_dtype of tl_host.h.
std::string dtype_code(DType dtype);

/// The code of the element type for muTensorDescriptorEncode and cuTensorMapEncodeTiled; -1 if the
/// engine does not support it.
int tensor_map_type(DType dtype, Family family);

}  // namespace tilelab::codegen
