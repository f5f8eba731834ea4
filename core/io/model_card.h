// README.md of a saved model: what it is, how to load it, and what its folder cannot say to other libraries.
#pragma once

#include <string>

#include "core/io/model_folder.h"

namespace contrastive::io {

std::string model_card(const ModelFolder& model);

}  // namespace contrastive::io
