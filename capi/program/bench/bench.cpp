// contrastive bench: measures what training and inference cost, as in table 6 of SG-OPT, with a
// line for every model and method.
#include <algorithm>

#include "capi/program/bench/benches.h"
#include "capi/program/failure.h"
#include "capi/program/rows.h"

namespace contrastive::cli {
namespace {

struct BenchArguments {
  std::vector<std::string> models, methods, what;
  std::string train, texts, device, precision, pooling, config;
  std::vector<std::string> assignments;
  EmbedArguments embedding;
  BenchSettings how;
  int64_t limit = 10000;
};

// Whether to measure `what`: --what names it or, without that option, its input files are given.
bool wants(const BenchArguments& arguments, const std::string& what) {
  if (arguments.what.empty())
    return what == "load" ||
           (what == "encode" ? !arguments.texts.empty() : !arguments.train.empty());
  return std::find(arguments.what.begin(), arguments.what.end(), what) != arguments.what.end();
}

void check_arguments(const BenchArguments& arguments) {
  if (wants(arguments, "encode") && arguments.texts.empty()) {
    throw usage_failure("--texts is needed to measure encoding: a file of texts",
                        "or --what train,load");
  }
  if (!wants(arguments, "train")) return;
  if (arguments.train.empty())
    throw usage_failure("--train is needed to measure training: a training file",
                        "or --what encode,load");
  if (arguments.methods.empty())
    throw usage_failure("--method is needed to measure training", "or --what encode,load");
}

TextBlock read_texts(const std::string& path, int64_t limit) {
  RowOptions options;
  options.skip_bad_rows = true;
  RowReader reader(path, options);
  TextBlock block;
  std::vector<std::string> texts;
  while (block.size() < limit && reader.next(texts)) block.add(texts[0]);
  if (block.size() == 0) throw Failure(kExitData, "FORMAT", "the file contains no text").at(path);
  return block;
}

Json with_model(const std::string& model, Json row) {
  Json named = {{"model", model}};
  named.update(row);
  return named;
}

std::string cell(const Json& row, const char* key, int digits) {
  const auto found = row.find(key);
  if (found == row.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : fixed(found->get<double>(), digits);
}

void print_benches(const Json& rows) {
  struct Column {
    const char *head, *key;
    int digits;
  };
  constexpr int kText = -1;
  static const Column kColumns[] = {{"model", "model", kText},
                                    {"what", "what", kText},
                                    {"method", "method", kText},
                                    {"median s", "seconds", 4},
                                    {"min s", "seconds_min", 4},
                                    {"max s", "seconds_max", 4},
                                    {"epoch s", "epoch_seconds", 1},
                                    {"texts/s", "texts_per_second", 1},
                                    {"tokens/s", "tokens_per_second", 0},
                                    {"text ms p50", "text_ms_p50", 2},
                                    {"p99", "text_ms_p99", 2},
                                    {"peak MB", "peak_mb", 0}};
  std::string head = "|", rule = "|";
  for (const Column& column : kColumns) {
    head += std::string(" ") + column.head + " |";
    rule += column.digits == kText ? " --- |" : " ---: |";
  }
  print_line(head);
  print_line(rule);
  for (const Json& row : rows) {
    std::string line = "|";
    for (const Column& column : kColumns) line += " " + cell(row, column.key, column.digits) + " |";
    print_line(line);
  }
  print_line("\nSeconds: of one load, of all texts, of one update, warm-up left out. An epoch: its "
             "updates at the median. Memory: of the whole process.");
}

void run(const BenchArguments& arguments, const Common& common) {
  check_arguments(arguments);
  const TextBlock texts =
      wants(arguments, "encode") ? read_texts(arguments.texts, arguments.limit) : TextBlock();
  Json rows = Json::array();
  for (const std::string& path : arguments.models) {
    ModelArguments one{path,
                       arguments.device,
                       arguments.precision,
                       arguments.pooling,
                       arguments.config,
                       arguments.assignments};
    one.any_kind = true;
    Settings settings = one.settings();
    for (const char* topic : {"model", "data", "train"}) settings.use_topic(topic);
    if (wants(arguments, "load")) rows.push_back(bench_load(one, settings, arguments.how));
    const Model model = load_model(one, settings, false);
    const auto say = [&](const std::string& what) {
      if (common.progress()) std::fprintf(stderr, "%s: %s\n", path.c_str(), what.c_str());
    };
    if (wants(arguments, "encode")) {
      say("encode");
      rows.push_back(
          with_model(path, bench_encode(model.get(), texts, arguments.embedding, arguments.how)));
    }
    for (const std::string& method : arguments.methods) {
      if (!wants(arguments, "train")) break;
      say(method);
      rows.push_back(with_model(path, bench_train(model.get(), method, arguments.train, settings,
                                                  arguments.how)));
    }
  }
  if (common.json) {
    print_json(rows);
  } else {
    print_benches(rows);
  }
}

}  // namespace

void add_bench(CLI::App& program, Common& common) {
  static BenchArguments arguments;
  CLI::App* verb = add_verb(
      program, "bench", "Measure what loading, encoding and training cost",
      R"(  contrastive bench --model bert-base --method sgopt,consert --train texts.txt --texts texts.txt --batch-size 16
  contrastive bench --model small --model large --what encode --texts texts.txt --threads 1 --json)",
      common, [&common] { run(arguments, common); });
  add_option(verb, "-m,--model", arguments.models, "model folder; may be repeated")
      ->required()
      ->expected(1)
      ->take_all();
  verb->add_option("--what", arguments.what,
                   "load, encode, train; default: load, also encode if --texts is given and train "
                   "if --train is given")
      ->delimiter(',')
      ->check(CLI::IsMember({"load", "encode", "train"}));
  verb->add_option("--method", arguments.methods, "training methods: sgopt,consert")
      ->delimiter(',');
  add_option(verb, "--train", arguments.train, "training file, as for `contrastive train`");
  add_option(verb, "--texts", arguments.texts,
             "file of texts to encode: txt, tsv (first column) or jsonl");
  verb->add_option("--limit", arguments.limit,
                   "maximum number of texts of that file; default 10000")
      ->check(CLI::Range(int64_t{1}, int64_t{10000000}));
  verb->add_option("--batch-size", arguments.how.batch_size,
                   "examples of a training batch; default: the method's")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20));
  verb->add_option("--rounds", arguments.how.rounds, "rounds that are measured; default 5")
      ->check(CLI::Range(1, 100000));
  verb->add_option("--steps", arguments.how.steps, "updates of a round; default 10")
      ->check(CLI::Range(1, 100000));
  verb->add_option("--warm-up", arguments.how.warm_up,
                   "calls before the first one that is measured; default 2")
      ->check(CLI::Range(1, 100000));
  verb->add_option("--latency", arguments.how.latency,
                   "texts that are encoded one by one; default 200")
      ->check(CLI::Range(0, 1000000));
  add_option(verb, "--device", arguments.device, "cpu, cuda or cuda:N; default cpu");
  add_option(verb, "--precision", arguments.precision,
             "float32, bfloat16 or int8 (on the CPU, not for training); default float32");
  add_option(verb, "--pooling", arguments.pooling, "mean, cls, max, ...; default: the model's own");
  verb->add_option("--config", arguments.config, "JSON file of config keys");
  one_at_a_time(
      verb->add_option("--set", arguments.assignments, "one config key: --set key=value"));
}

}  // namespace contrastive::cli
