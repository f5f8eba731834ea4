// The config keys "card.*": facts for a model card that the run does not know
// (core/io/model_card.h). They do not affect training.
#pragma once

#include <string>
#include <vector>

#include "core/base/options.h"

namespace contrastive::run {

// Whether this is "name" or "owner/name", as on hubs, and not a path of a machine.
bool is_hub_name(const std::string& text);

struct CardOptions {
  static constexpr const char* kPrefix = "card.";

  std::string title, description, license, base_model;
  std::vector<std::string> language, datasets;

  void visit(OptionVisitor& v);
  void validate() const;  // kArgument naming the key for a value that a hub would refuse, and for a
                          // path, which would reveal details of the machine
};

}  // namespace contrastive::run
