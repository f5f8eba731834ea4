// The table behind decompose_compatibly() of unicode.h.
#pragma once

namespace contrastive::text {

extern const char* const kCompatibilityData;

}  // namespace contrastive::text
