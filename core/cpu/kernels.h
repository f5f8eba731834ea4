// The tables of kernels: all code that is compiled for one instruction set, and the choice of the
// best. One source file for each set (avx2.cpp, ...) compiles the .inl files of this folder for its
// vectors. So one binary runs on every x86-64, or every arm64, and uses what the processor has.
// Kernels do not allocate, throw or start threads.
//
// A file that is compiled for an instruction set includes nothing of the library except this header
// and features.h. The linker might keep an inline function from such a file for all other files
// too; a test finds such functions.
#pragma once

#include "core/cpu/encode.h"
#include "core/cpu/narrow.h"
#include "core/cpu/scores.h"
#include "core/cpu/training.h"
#include "core/cpu/update.h"

namespace contrastive::cpu {

// A null group in the table of an instruction set is inherited from the sets before it.
struct Kernels {
  const EncodeKernels* encode;
  const NarrowKernels* int8;
  const NarrowKernels* bfloat16;  // null if the processor has no instruction for it
  const TrainingKernels* training;
  const UpdateKernels* update;
  const ScoreKernels* scores;
};

class Features;

// The best build of each group for such a processor.
Kernels kernels_for(const Features& features);
// The same for this processor, chosen once.
const Kernels& kernels();
// Returns kernels().int8 or kernels().bfloat16.
const NarrowKernels* narrow_kernels(Narrow format);

}  // namespace contrastive::cpu
