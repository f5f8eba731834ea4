// Adds an example to the hash of a dataset, field by field, so that equal bytes that are read in
// another way give another hash.
#pragma once

#include <cstring>
#include <string>

#include "core/data/content_hash.h"
#include "core/data/example.h"

namespace contrastive::data {

inline void add_example(ContentHash& hash, const Example& example) {
  const auto number = [&hash](auto value) {
    static_assert(sizeof value == 8);
    char bytes[8];
    std::memcpy(bytes, &value, 8);
    hash.update({bytes, 8});
  };
  const auto text = [&number](const std::string& bytes) {  // each text is hashed separately, so
                                                           // that moving a letter from one text to
                                                           // the next changes the hash
    ContentHash own;
    own.update(bytes);
    number(own.value());
  };
  text(example.a);
  number(uint64_t{example.has_b});
  text(example.b);
  number(example.label);
  number(uint64_t{example.negatives.size()});
  for (const std::string& negative : example.negatives) text(negative);
  number(uint64_t{example.scores.size()});
  for (const double score : example.scores) number(score);
}

}  // namespace contrastive::data
