// The model card of each method has its name, its paper and its config, and the same bytes after a
// resume.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "tests/core/io/simple_yaml.h"
#include "tests/methods_contract/contract.h"
#include "tests/temporary_folder.h"

namespace contrastive::methods {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Card : public ::testing::TestWithParam<Mode> {
 protected:
  std::string card_of(const run::TrainingRun& trainer, const std::string& name) {
    trainer.save(folder_ / name);
    std::ifstream file(folder_ / name + "/README.md", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  TemporaryFolder folder_;
  std::shared_ptr<data::Dataset> data_ = examples_of(GetParam(), 40);
};

TEST_P(Card, NamesTheMethodAndItsPaper) {
  const MethodEntry& entry = find_method(GetParam().method);
  const auto run = contract_trainer(GetParam(), R"({"max_steps": 4})", start_of(GetParam()), data_);
  for (int i = 0; i < 2; ++i) run->step();
  run->save(folder_ / "paused");
  const auto resumed =
      run::TrainingRun::resume(folder_ / "paused", start_of(GetParam()), data_, {});
  for (int i = 0; i < 2; ++i) run->step(), resumed->step();
  const std::string text = card_of(*run, "saved");
  EXPECT_EQ(card_of(*resumed, "resumed"), text);

  EXPECT_THAT(entry.paper.bibtex, StartsWith("@"));
  EXPECT_THAT(entry.paper.bibtex, ::testing::EndsWith("}\n"));
  for (const std::string& part :
       {"- **Method:** " + std::string(entry.paper.method) + ", `" + entry.name + "`: ",
        std::string(entry.paper.bibtex), "trained with " + std::string(entry.paper.method),
        std::string("after update 4 of 4"), "\"method\": \"" + std::string(entry.name) + "\""}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  const Json header = test::parse_header(text);
  EXPECT_THAT(header["tags"].dump(), HasSubstr(entry.paper.tag));
  EXPECT_FALSE(header.contains("license"));
}

INSTANTIATE_TEST_SUITE_P(Methods, Card, ::testing::ValuesIn(default_modes()),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace contrastive::methods
