// The kernels: all code that is compiled for one instruction set, and the choice among it. One
// source file for each set (avx2.cpp, ...) compiles the .inl files of this folder for its vectors,
// so that one binary runs on every x86-64, or every arm64, and uses what the processor has. Kernels
// do not allocate, throw or start threads.
//
// A file that is compiled for an instruction set includes nothing of the library beyond this header
// and features.h. An inline function that it emitted could be the copy that the linker keeps for
// all; a test finds such copies.
#pragma once

#include "core/cpu/encode.h"
#include "core/cpu/narrow.h"
#include "core/cpu/scores.h"
#include "core/cpu/training.h"
#include "core/cpu/update.h"

namespace contrastive::cpu {

// In the table of one instruction set a null group is inherited from the sets before it.
struct Kernels {
  const EncodeKernels* encode;
  const NarrowKernels* int8;
  const NarrowKernels* bfloat16;  // null where the processor has no instruction for it
  const TrainingKernels* training;
  const UpdateKernels* update;
  const ScoreKernels* scores;
};

class Features;

// The best of each group for such a processor.
Kernels kernels_for(const Features& features);
// The same for this processor, chosen once.
const Kernels& kernels();
// kernels().int8 or kernels().bfloat16.
const NarrowKernels* narrow_kernels(Narrow format);

}  // namespace contrastive::cpu
