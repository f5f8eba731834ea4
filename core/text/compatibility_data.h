// The table for decompose_compatibly() in unicode_forms.h.
#pragma once

namespace contrastive::text {

extern const char* const kCompatibilityData;

}  // namespace contrastive::text
