// The JSON config of a run: parses it, and passes it to every reader of keys.
#include "core/base/config.h"

#include "core/base/options.h"
#include "core/data/data_options.h"
#include "core/eval/evaluate.h"
#include "core/model/model_recipe.h"
#include "core/model/sentence_encoder.h"
#include "core/torch/run/train_options.h"
#include "core/vocabulary/learn_vocabulary.h"
#include "tests/fuzz/target.h"

namespace contrastive::fuzz {
namespace {

void check_run(const Config& config, bool has_data) {
  run::RunConfig run;
  if (!accepted([&] { run = run::read_run_config(config, has_data); }, {Status::kArgument})) return;
  accepted([&] { run::plan_run(run, 100); }, {Status::kArgument});
  const run::RunConfig again = run::read_run_config(run.complete, has_data);
  expect(dump_ascii(again.complete.to_json()) == dump_ascii(run.complete.to_json()),
         "a complete config gives another run");
}

}  // namespace

FUZZ_TARGET(run_config) {
  Config config;
  if (!accepted([&] { config = Config::parse(bytes); }, {Status::kArgument})) return;
  const std::string text = dump_ascii(config.to_json());
  expect(dump_ascii(Config::parse(text).to_json()) == text,
         "a config differs after it was written and read again");
  check_run(config, true);
  check_run(config, false);
  accepted([&] { data::read_data_options(config); }, {Status::kArgument});
  accepted([&] { read_options<model::LoadOptions>(config); }, {Status::kArgument});
  accepted([&] { read_options<model::ModelRecipe>(config); }, {Status::kArgument});
  accepted([&] { read_options<vocabulary::VocabularyOptions>(config).validate(config); },
           {Status::kArgument});
  for (const std::string& task : eval::task_names()) {
    accepted([&] { eval::check_task(task, config, ""); }, {Status::kArgument, Status::kNotFound});
  }
}

// "key=value" lines, as a user types them after --set.
FUZZ_TARGET(assignments) {
  Config config;
  size_t begin = 0;
  while (begin < bytes.size()) {
    const size_t end = std::min(bytes.find('\n', begin), bytes.size());
    const std::string_view line = bytes.substr(begin, end - begin);
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos) {
      accepted(
          [&] {
            config.set(std::string(line.substr(0, equals)), std::string(line.substr(equals + 1)));
          },
          {Status::kArgument});
    }
    begin = end + 1;
  }
  const std::string text = dump_ascii(config.to_json());
  expect(dump_ascii(Config::parse(text).to_json()) == text,
         "a config differs after it was written and read again");
  check_run(config, true);
}

}  // namespace contrastive::fuzz
