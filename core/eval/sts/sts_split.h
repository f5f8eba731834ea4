// The splits train, dev and test: their names in data sets, and which one is requested.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace contrastive::eval {

// The first two choose a split if there are several, and otherwise read what there is. Measuring
// uses the test split; choosing a checkpoint must not see it.
enum class StsSplit { kPreferTest, kPreferDev, kTrain, kDev, kTest, kAll };

// "" (kPreferTest), "train", "dev", "test", "all": for options.
const std::vector<std::pair<std::string, StsSplit>>& sts_split_names();

// "train", "dev" or "test" for the words in use (trial, validation, ..., in any case); "" for
// others.
std::string known_split(std::string_view word);
// The same for a file's name: "sts-dev.csv", "SICK_test_annotated.txt", "stsb-de-train.csv",
// "dev.tsv".
std::string split_of_file(const std::string& name);

// Which of `present` ("train", "dev", "test"; not empty) to read; "" for all of them. kNotFound
// naming `where` if the requested split is missing.
std::string choose_split(const std::vector<std::string>& present, StsSplit wanted,
                         const std::string& where);

}  // namespace contrastive::eval
