// The config keys "card.*": what a model's card cannot know by itself (core/io/model_card.h). They
// change nothing of a run.
#pragma once

#include <string>
#include <vector>

#include "core/base/options.h"

namespace contrastive::run {

// "name" or "owner/name", as hubs have them; so no path of a machine.
bool is_hub_name(const std::string& text);

struct CardOptions {
  static constexpr const char* kPrefix = "card.";

  std::string title, description, license, base_model;
  std::vector<std::string> language, datasets;

  void visit(OptionVisitor& v);
  void validate() const;  // kArgument naming the key: a hub refuses a card over such a value, and a
                          // path would tell of the machine
};

}  // namespace contrastive::run
