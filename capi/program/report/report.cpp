// contrastive report: writes one HTML file that shows runs.
#include <algorithm>
#include <cmath>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/progress.h"
#include "capi/program/report/sections.h"
#include "capi/program/rows.h"
#include "capi/program/signals.h"
#include "capi/program/verb.h"

namespace contrastive::cli {
namespace {

using namespace report;  // NOLINT: the verb is what the folder is for

struct ReportArguments {
  std::vector<std::string> runs;
  std::string output = "report.html", title, eval_data, texts;
  ModelArguments model;  // device and precision
  int heat_map = 12, pairs = 2000;
  bool force = false;
};

std::vector<std::string> read_texts(const ReportArguments& arguments) {
  std::vector<std::string> texts;
  RowReader reader(arguments.texts, {});
  std::vector<std::string> row;
  while (texts.size() < static_cast<size_t>(arguments.heat_map) && reader.next(row))
    texts.push_back(row[0]);
  if (texts.empty()) throw Failure(kExitData, "FORMAT", "it contains no text").at(arguments.texts);
  return texts;
}

void set_colours(std::vector<Run>& runs) {
  std::vector<std::string> cells;
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto cell = std::find(cells.begin(), cells.end(), runs[i].record.cell);
    runs[i].colour = runs.size() > kMostLabelled ? static_cast<size_t>(cell - cells.begin()) : i;
    if (cell == cells.end()) cells.push_back(runs[i].record.cell);
  }
}

Contents gather(const ReportArguments& arguments, const Common& common) {
  Contents contents;
  for (RunRecord& record : read_runs(arguments.runs))
    contents.runs.push_back({std::move(record), 0, {}});
  set_colours(contents.runs);
  contents.tables = read_experiment_tables(arguments.runs);
  Material& material = contents.material;
  material.eval_data = arguments.eval_data;
  material.most_pairs = static_cast<size_t>(arguments.pairs);
  material.most_texts = static_cast<size_t>(arguments.heat_map);
  if (!material.eval_data.empty() && !exists(material.eval_data))
    throw Failure(kExitFiles, "NOT_FOUND", "'" + material.eval_data + "' does not exist");
  if (!arguments.texts.empty()) material.texts = read_texts(arguments);
  if (material.eval_data.empty() && material.texts.empty()) return contents;
  Progress progress("measuring", "runs", common.progress());
  for (size_t i = 0; i < contents.runs.size(); ++i) {
    if (contents.runs[i].record.has_model)
      contents.runs[i].measured = measure(contents.runs[i].record.path, arguments.model, material);
    progress.update(static_cast<int64_t>(i) + 1,
                    static_cast<double>(i + 1) / static_cast<double>(contents.runs.size()));
  }
  return contents;
}

std::string title_of(const ReportArguments& arguments, const Contents& contents) {
  if (!arguments.title.empty()) return arguments.title;
  if (contents.runs.size() > 1)
    return counted(static_cast<int64_t>(contents.runs.size()), "run") + " compared";
  const RunRecord& only = contents.runs[0].record;
  return only.method.empty() ? only.name : only.name + ", trained by " + only.method;
}

std::string page_of(const ReportArguments& arguments, const Contents& contents) {
  Document document(title_of(arguments, contents),
                    std::string("Training report by libcontrastive ") + cs_version() + ", " +
                        utc(0));
  if (contents.runs.size() > 1) {
    for (const Run& run : contents.runs)
      document.run(run.record.letter, run.record.name, run.colour);
  }
  write_experiments(document, contents);
  write_overview(document, contents);
  write_training(document, contents);
  write_embeddings(document, contents);
  write_configuration(document, contents);
  std::string made = "Made by: contrastive report";
  for (const std::string& run : arguments.runs) made += " " + run;
  if (!arguments.eval_data.empty()) made += " --eval-data " + arguments.eval_data;
  if (!arguments.texts.empty()) made += " --texts " + arguments.texts;
  document.footer(made);
  return document.html();
}

void run(const ReportArguments& arguments, const Common& common) {
  for (const std::string& input : {arguments.eval_data, arguments.texts}) {
    if (is_same_file(arguments.output, input))
      throw usage_failure("'" + arguments.output +
                          "' is an input: choose another file for the page");
  }
  OutputFile file(arguments.output, arguments.force, "");
  const Contents contents = gather(arguments, common);
  const std::string page = page_of(arguments, contents);
  file.write(page.data(), page.size());
  file.commit();
  if (common.json && arguments.output != "-") {
    Json runs = Json::array();
    for (const Run& run : contents.runs) {
      const RunRecord& record = run.record;
      Json entry = {{"name", record.name},
                    {"path", record.path},
                    {"method", record.method},
                    {"metrics", record.metrics.update.size()}};
      if (run.measured)
        entry.update({{"sts", run.measured->sts}, {"geometry", run.measured->geometry}});
      runs.push_back(std::move(entry));
    }
    print_json({{"output", arguments.output}, {"bytes", page.size()}, {"runs", std::move(runs)}});
  } else if (!common.quiet) {
    std::fprintf(stderr, "%s: %s\n", arguments.output.c_str(),
                 counted(static_cast<int64_t>(contents.runs.size()), "run").c_str());
  }
}

}  // namespace

void add_report(CLI::App& program, Common& common) {
  static ReportArguments arguments;
  CLI::App* verb =
      add_verb(program, "report",
               "Show runs on one page of HTML: curves, scores, embeddings, configs",
               R"(  contrastive report my-model --eval-data sts-test.tsv --output my-model.html
  contrastive report consert simcse start-model --eval-data sts-test.tsv --texts examples.txt --output compared.html)",
               common, [&common] { run(arguments, common); });
  verb->add_option(
          "runs", arguments.runs,
          "folders of `contrastive train`, of examples/experiments (a table and all of its "
          "runs), or models to compare with")
      ->required()
      ->option_text("RUN ...");
  add_option(verb, "-o,--output", arguments.output, "the page; default report.html");
  add_option(verb, "--eval-data", arguments.eval_data,
             "pairs as `contrastive eval --task sts` reads them (TSV of score, sentence, sentence; "
             "STS-B, SICK, SentEval): adds scores and embeddings");
  add_option(verb, "--texts", arguments.texts,
             "texts for the heat map (txt, tsv or jsonl); default: the first of --eval-data");
  add_option(verb, "--heat-map", arguments.heat_map,
             "how many texts the heat map shows; default 12")
      ->check(CLI::Range(2, 40));
  add_option(verb, "--pairs", arguments.pairs,
             "number of pairs that are plotted by score and cosine; default 2000")
      ->check(CLI::Range(2, 20000));
  add_option(verb, "--title", arguments.title, "the page's title");
  add_option(verb, "--device", arguments.model.device, "cpu, cuda or cuda:N; default cpu");
  add_option(verb, "--precision", arguments.model.precision,
             "float32, bfloat16 or int8 (on the CPU, not for training); default float32");
  verb->add_flag("-f,--force", arguments.force, "replace an existing page");
}

}  // namespace contrastive::cli
