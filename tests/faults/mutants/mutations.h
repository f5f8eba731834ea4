// Damages the folder of a model as disks, downloads and attackers do. The seed determines
// everything.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace contrastive::faults {

// Damages `folder` in one to three places. Returns a description of what it did.
std::string mutate(const std::string& folder, std::mt19937_64& random);

}  // namespace contrastive::faults
