// Describes the config keys of each topic, for cs_config_describe.
#pragma once

#include <string>

#include "core/base/json.h"

namespace contrastive::capi {

// An array with one row for each key. kArgument for an unknown topic, with the nearest known name.
Json describe_topic(const std::string& topic);

// {topic: rows} for every topic.
Json describe_all();

}  // namespace contrastive::capi
