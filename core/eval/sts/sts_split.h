// Train, dev and test: how data sets name them, and which one is wanted.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace contrastive::eval {

// The first two choose where there is a choice and read what there is otherwise: measuring wants
// the test split, which the choice of a checkpoint must not see.
enum class StsSplit { kPreferTest, kPreferDev, kTrain, kDev, kTest, kAll };

// "" (kPreferTest), "train", "dev", "test", "all": for options.
const std::vector<std::pair<std::string, StsSplit>>& sts_split_names();

// "train", "dev" or "test" for the words in use (trial, validation, ..., in any case); "" for
// others.
std::string known_split(std::string_view word);
// The same for a file's name: "sts-dev.csv", "SICK_test_annotated.txt", "stsb-de-train.csv",
// "dev.tsv".
std::string split_of_file(const std::string& name);

// Which of `present` ("train", "dev", "test"; not empty) is meant; "" for all of them. kNotFound
// naming `where` when the one asked for is not there.
std::string choose_split(const std::vector<std::string>& present, StsSplit wanted,
                         const std::string& where);

}  // namespace contrastive::eval
