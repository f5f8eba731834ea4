// Which config keys there are, by topic: what cs_config_describe answers.
#pragma once

#include <string>

#include "core/base/json.h"

namespace contrastive::capi {

// An array of rows; kArgument with the nearest name for a topic that is none.
Json describe_topic(const std::string& topic);

// {topic: rows} for every topic.
Json describe_all();

}  // namespace contrastive::capi
