// The features of this processor and its operating system, detected once, and the instruction sets
// that the library has code for, each defined once by the features it needs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace contrastive::cpu {

// The words that are read: registers of CPUID and XCR0 on x86-64, entries of the auxiliary vector
// on arm64. Words of the other architecture are 0.
enum Word { kLeaf1Ecx, kLeaf7Ebx, kLeaf7Ecx, kLeaf7Sub1Eax, kXcr0, kHwcap, kHwcap2, kWords };

// word * 64 + bit.
enum class Feature {
  kSsse3 = kLeaf1Ecx * 64 + 9,
  kFma = kLeaf1Ecx * 64 + 12,
  kSse41 = kLeaf1Ecx * 64 + 19,
  kAvx = kLeaf1Ecx * 64 + 28,
  kAvx2 = kLeaf7Ebx * 64 + 5,
  kAvx512f = kLeaf7Ebx * 64 + 16,
  kAvx512dq = kLeaf7Ebx * 64 + 17,
  kSha = kLeaf7Ebx * 64 + 29,
  kAvx512bw = kLeaf7Ebx * 64 + 30,
  kAvx512vl = kLeaf7Ebx * 64 + 31,
  kAvx512Vnni = kLeaf7Ecx * 64 + 11,
  kAvxVnni = kLeaf7Sub1Eax * 64 + 4,
  kAvx512Bf16 = kLeaf7Sub1Eax * 64 + 5,
  // The operating system saves these registers when it switches threads.
  kSavesXmm = kXcr0 * 64 + 1,
  kSavesYmm = kXcr0 * 64 + 2,
  kSavesMasks = kXcr0 * 64 + 5,
  kSavesZmmLow = kXcr0 * 64 + 6,
  kSavesZmmHigh = kXcr0 * 64 + 7,
  // HWCAP_SHA2, HWCAP_ASIMDDP and HWCAP2_BF16, which old headers lack.
  kArmSha2 = kHwcap * 64 + 6,
  kArmDotProducts = kHwcap * 64 + 20,
  kArmBfloat16 = kHwcap2 * 64 + 14,
};

// A set of features.
class Features {
 public:
  constexpr Features() = default;
  template <class... Some>
  constexpr explicit Features(Some... features) {
    (add(features), ...);
  }
  constexpr Features with(const Features& more) const {
    Features all = *this;
    for (int i = 0; i < kWords; ++i) all.words_[i] |= more.words_[i];
    return all;
  }
  constexpr bool contains(const Features& wanted) const {
    for (int i = 0; i < kWords; ++i) {
      if ((wanted.words_[i] & ~words_[i]) != 0) return false;
    }
    return true;
  }
  void set(Word word, uint64_t value) { words_[word] = value; }

 private:
  constexpr void add(Feature feature) {
    const int place = static_cast<int>(feature);
    words_[place / 64] |= uint64_t{1} << place % 64;
  }

  uint64_t words_[kWords] = {};
};

// The features of this processor. The first call detects them.
const Features& features();

// An instruction set that code is compiled for. A processor can run it if it has all of `needs`.
struct InstructionSet {
  const char* name;
  Features needs;
};

constexpr InstructionSet kBaseline{"baseline", Features()};

// x86-64. The compile options in CMakeLists.txt allow no instruction beyond `needs`.
constexpr InstructionSet kAvx2{"avx2", Features(Feature::kAvx, Feature::kAvx2, Feature::kFma,
                                                Feature::kSavesXmm, Feature::kSavesYmm)};
constexpr InstructionSet kAvxVnni{"avx-vnni", kAvx2.needs.with(Features(Feature::kAvxVnni))};
constexpr InstructionSet kAvx512{"avx512",
                                 kAvx2.needs.with(Features(Feature::kAvx512f, Feature::kAvx512dq,
                                                           Feature::kAvx512vl, Feature::kSavesMasks,
                                                           Feature::kSavesZmmLow,
                                                           Feature::kSavesZmmHigh))};
constexpr InstructionSet kAvx512Vnni{"avx512-vnni",
                                     kAvx512.needs.with(
                                         Features(Feature::kAvx512bw, Feature::kAvx512Vnni))};
constexpr InstructionSet kAvx512Bf16{"avx512-bf16",
                                     kAvx512.needs.with(
                                         Features(Feature::kAvx512bw, Feature::kAvx512Bf16))};
constexpr InstructionSet kSha{"sha", Features(Feature::kSha, Feature::kSsse3, Feature::kSse41)};

// arm64, where every processor has NEON.
constexpr InstructionSet kNeon{"neon", Features()};
constexpr InstructionSet kNeonDot{"neon-dot", Features(Feature::kArmDotProducts)};
constexpr InstructionSet kNeonBf16{"neon-bf16", Features(Feature::kArmBfloat16)};
constexpr InstructionSet kArmSha2{"sha2", Features(Feature::kArmSha2)};

}  // namespace contrastive::cpu
