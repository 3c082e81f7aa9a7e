// SPDX-License-Identifier: Apache-2.0
// The device header of generated code. Three layers: builtins (one file a platform), types,
// operations. Kernels use the names tl_*, and CUDA-spelled C++; nothing else.
//
// Platforms: TL_EMU runs on the CPU (g++), TL_STUB type-checks (clang), mcc is MUSA, nvcc is CUDA.
// TL_EMU and TL_STUB need __MUSA_ARCH__ (220 or 310) from the command line.
#pragma once

#if defined(TL_EMU)
#include "tl_builtins_emu.h"
#elif defined(TL_STUB)
#include "tl_builtins_stub.h"
#elif defined(__MUSACC__) || defined(__MUSA__)
#include <musa_fp16.h>
#include <musa_runtime.h>
#include <musa.h>
#include "tl_builtins_musa.h"
#else
#include "tl_builtins_cuda.h"
#endif

#include "tl_types.h"
#include "tl_math.h"
#include "tl_ops.h"
#include "tl_async.h"
#include "tl_record.h"
