// SPDX-License-Identifier: Apache-2.0
// The device header of generated code. Three layers: builtins (one file per platform), types,
// operations (the asynchronous ones, one file per platform). Kernels use only the names tl_* and
// CUDA-spelled C++. Names that CUDA and mcc share are the neutral ones: the other platforms define
// them; tlb_* are names that they spell differently.
//
// Platforms: mcc is MUSA, nvcc is CUDA, any other compiler compiles kernels for the host's cores.
// Two more check MUSA without its hardware: TL_EMU runs kernels on the CPU (g++), TL_STUB
// type-checks them (clang); they need __MUSA_ARCH__ (220 or 310) from the command line.
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
#elif defined(__CUDACC__) || defined(__CUDA__)
#include "tl_builtins_cuda.h"
#else
#define TL_CPU 1
#include "tl_builtins_cpu.h"
#endif

#include "tl_types.h"
#include "tl_math.h"
#ifndef TL_NO_FUNCTIONS
#include "tl_functions.h"
#endif
#include "tl_ops.h"
#if defined(TL_MUSA)
#include "tl_async_musa.h"
#elif !defined(TL_CPU)
#include "tl_async_cuda.h"
#endif
#include "tl_record.h"
