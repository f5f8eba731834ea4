// Chooses the rows of a corpus to search: those whose text occurs once and is not nearly the text
// of an answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/data/dataset.h"

namespace contrastive::adapt {

struct CorpusRows {
  std::vector<int64_t> left_out;  // ascending
  int64_t read = 0,
          empty = 0;  // both count the rows that the dataset itself left out for an empty text
  int64_t repeated = 0;
  int64_t near_answers =
      0;  // nearly the text of an answer, which stays: a model that finds them is not wrong
};

// `answers`: the documents of all pairs. kArgument for a corpus without rows, and with file and
// line for one of pairs.
CorpusRows look_through_corpus(const data::Dataset& corpus, const std::vector<std::string>& answers,
                               double near_duplicate, const Cancel* cancel);

}  // namespace contrastive::adapt
