// The task "glue".
#include <limits>
#include <set>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/eval/glue/glue_grid.h"
#include "core/eval/task.h"

namespace contrastive::eval {
namespace {

Json count(const std::vector<GlueSet>& sets) {
  int64_t examples = 0;
  for (const GlueSet& set : sets) examples += set.size();
  return examples;
}

Json run_task(const model::SentenceEncoder& model, const GlueDefinition& definition, const GlueData& data, const GlueOptions& options,
              const Cancel* cancel) {
  const GlueTokens tokens = tokenise_glue(model, data, options.max_length, cancel);
  const std::vector<GlueCell> cells = grid_cells(options.lr_values(), options.batch_values());
  const GlueGrid grid = search_grid(cells, options.seed_values(), options.grid_seeds, [&](const GlueCell& cell, int64_t seed) {
    log_info(definition.name, ": lr ", cell.lr, ", batch_size ", cell.batch_size, ", seed ", seed);
    return run_glue(model, definition, data, tokens, options, cell, seed, cancel);
  });
  Json report = grid_report(grid);
  report["examples"] = {{"train", data.train.size()}, {"select", count(data.select)}, {"reported", count(data.reported())}};
  return report;
}

// {"average": mean of the tasks' scores without WNLI's, "averaged": how many, "tasks": {name: ...}}
Json run_glue(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel) {
  const GlueOptions common = read_glue_options(config);
  check(!common.data.empty(), Status::kArgument, "data is not set: a folder with a folder for each GLUE task is needed");
  check(!common.tasks.empty(), Status::kArgument, "config key 'tasks' is empty");
  check(std::set<std::string>(common.tasks.begin(), common.tasks.end()).size() == common.tasks.size(), Status::kArgument,
        "config key 'tasks' names a task twice");
  // All files are read before the first update: a missing one should not cost hours.
  std::vector<GlueData> data;
  for (const std::string& name : common.tasks) data.push_back(read_glue(find_glue_definition(name), common.data, common.split, common.select_part));
  Json tasks = Json::object();
  double sum = 0;
  int64_t averaged = 0;
  for (size_t i = 0; i < data.size(); ++i) {
    const GlueDefinition& definition = find_glue_definition(common.tasks[i]);
    tasks[definition.name] = run_task(model, definition, data[i], read_glue_options(config, definition.name), cancel);
    if (!definition.averaged) continue;
    const Json& score = tasks[definition.name]["score"];
    sum += score.is_null() ? std::numeric_limits<double>::quiet_NaN() : score.get<double>();
    ++averaged;
  }
  const double average = averaged > 0 ? sum / static_cast<double>(averaged) : std::numeric_limits<double>::quiet_NaN();
  return {{"average", number_or_null(average)}, {"averaged", averaged}, {"tasks", std::move(tasks)}};
}

}  // namespace

const Task kGlueTask = make_task<GlueOptions>("glue", "how well the encoder is fine-tuned to GLUE's classification tasks", run_glue);

}  // namespace contrastive::eval
