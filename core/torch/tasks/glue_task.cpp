// The task "glue": how well the encoder is fine-tuned to GLUE's classification tasks.
#include <set>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/eval/runs.h"
#include "core/eval/task.h"
#include "core/eval/undefined.h"
#include "core/torch/tensors/openmp.h"
#include "core/torch/tasks/glue/glue_grid.h"

namespace contrastive::eval {
namespace {

Json count(const std::vector<GlueSet>& sets) {
  int64_t examples = 0;
  for (const GlueSet& set : sets) examples += set.size();
  return examples;
}

Json run_task(const model::SentenceEncoder& model, const GlueDefinition& definition,
              const GlueData& data, const GlueOptions& options, const Cancel* cancel) {
  const GlueTokens tokens = tokenise_glue(model, data, options.max_length, cancel);
  const std::vector<GlueCell> cells = grid_cells(options.lr, options.batch_size);
  const GlueGrid grid =
      search_grid(cells, options.seeds, options.grid_seeds,
                  [&](const GlueCell& cell, int64_t seed) {
                    log_info(definition.name, ": lr ", cell.lr, ", batch_size ", cell.batch_size,
                             ", seed ", seed);
                    return run_glue(model, definition, data, tokens, options, cell, seed, cancel);
                  });
  Json report = grid_report(grid);
  report["examples"] = {{"train", data.train.size()},
                        {"select", count(data.select)},
                        {"reported", count(data.reported())}};
  return report;
}

// The keys that all tasks share.
GlueOptions glue_options(const Config& config) {
  GlueOptions common = read_glue_options(config);
  check(!common.data.empty(), Status::kArgument,
        "data is not set: a folder with a folder for each GLUE task is needed");
  check(!common.tasks.empty(), Status::kArgument, "config key 'tasks' is empty");
  check(std::set<std::string>(common.tasks.begin(), common.tasks.end()).size() ==
            common.tasks.size(),
        Status::kArgument, "config key 'tasks' names a task twice");
  for (const std::string& name : common.tasks) find_glue_definition(name);
  return common;
}

// All files are read before the first update: a missing one should not cost hours.
std::vector<GlueData> read_tasks(const GlueOptions& common) {
  std::vector<GlueData> data;
  for (const std::string& name : common.tasks)
    data.push_back(
        read_glue(find_glue_definition(name), common.data, common.split, common.select_part));
  return data;
}

// {"average": mean of the tasks' scores without WNLI's, "averaged": how many, "tasks": {name:
// ...}}; with several seeds "average_std", over the seeds' averages.
Json glue_summary(Json tasks, size_t seeds) {
  std::vector<double> sums(seeds);
  int64_t averaged = 0;
  for (const auto& [name, report] : tasks.items()) {
    if (!find_glue_definition(name).averaged) continue;
    for (size_t i = 0; i < seeds; ++i) {
      const Json& score = report["runs"][i]["score"];
      sums[i] += score.is_null() ? kUndefined : score.get<double>();
    }
    ++averaged;
  }
  for (double& sum : sums) sum = averaged > 0 ? sum / static_cast<double>(averaged) : kUndefined;
  Json summary = {{"averaged", averaged}, {"tasks", std::move(tasks)}};
  report_runs(summary, "average", sums);
  return summary;
}

Json run_glue(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel) {
  tensors::settle_openmp();
  const GlueOptions common = glue_options(config);
  const std::vector<GlueData> data = read_tasks(common);
  Json tasks = Json::object();
  for (size_t i = 0; i < data.size(); ++i) {
    const GlueDefinition& definition = find_glue_definition(common.tasks[i]);
    tasks[definition.name] =
        run_task(model, definition, data[i], read_glue_options(config, definition.name), cancel);
  }
  return glue_summary(std::move(tasks), common.seeds.size());
}

Json outline_glue(const Config& config) {
  const GlueOptions common = glue_options(config);
  read_tasks(common);
  Json tasks = Json::object();
  for (const std::string& name : common.tasks) {
    const GlueOptions options = read_glue_options(config, name);
    GlueRun run;
    run.figures = undefined_figures(find_glue_definition(name), options.mnli);
    GlueGrid grid;
    grid.cells.push_back({grid_cells(options.lr, options.batch_size).front(), 0});
    grid.runs.assign(options.seeds.size(), run);
    tasks[name] = grid_report(grid);
  }
  return glue_summary(std::move(tasks), common.seeds.size());
}

}  // namespace

Task glue_task() { return make_task<GlueOptions>(run_glue, outline_glue); }

}  // namespace contrastive::eval
