// Damage to the folder of a model: what disks, downloads and enemies do to files. Everything
// follows from a seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace contrastive::faults {

// Damages `folder` in one to three places; says what it did, in words.
std::string mutate(const std::string& folder, std::mt19937_64& random);

}  // namespace contrastive::faults
