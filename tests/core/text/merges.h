// A vocabulary of merges that overlap.
#pragma once

#include "core/text/byte_bpe.h"

namespace contrastive::text {

inline const ByteBpe::Merges kMerges = {{"a", "b"}, {"Ġ", "a"},  {"b", "a"},  {"ab", "ab"},
                                        {"Ġ", "Ġ"}, {"ĠĠ", "Ġ"}, {"Ġa", "b"}, {"ba", "ba"},
                                        {"Ã", "©"}, {"a", "a"},  {"aa", "a"}};

}  // namespace contrastive::text
