// contrastive create: makes a model with random weights for training from scratch, or one from
// another model. contrastive vocabulary: trains a tokenizer from texts.
#include <optional>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/signals.h"
#include "capi/program/terminal.h"
#include "capi/program/verb.h"

namespace contrastive::cli {
namespace {

struct CreateArguments {
  std::string tokenizer, pooling, output, config;
  std::optional<int64_t> layers, hidden_size, attention_heads, max_length, seed;
  std::vector<std::string> assignments;
  bool force = false;
};

struct VocabularyArguments {
  std::string input, output, kind, config;
  std::optional<int64_t> size;
  std::vector<std::string> assignments;
  bool force = false;
};

void check_free(const std::string& output, bool force) {
  if (exists(output) && !force)
    throw usage_failure("'" + output + "' exists", "use --force to replace it");
}

template <class Value>
void set_if_given(Settings& settings, const char* key, const std::optional<Value>& value) {
  if (value) settings.set_flag(key, *value);
}

// --force may replace models, but never a model that the new one is made from.
void check_sources(const std::string& output, const Json& config) {
  for (const char* key : {"student.encoder", "student.texts", "static.encoder"}) {
    const std::string source = text_of(config, key);
    if (!source.empty() && lies_in(source, output))
      throw usage_failure("--output '" + output + "' is where " + key + " '" + source + "' lies",
                          "name another folder");
  }
}

void create(const CreateArguments& arguments, const Common& common) {
  check_free(arguments.output, arguments.force);
  check_model_place(arguments.output);
  Settings settings(arguments.config, arguments.assignments);
  settings.use_topic("recipe");
  if (!arguments.tokenizer.empty()) settings.set_flag("tokenizer", arguments.tokenizer);
  if (!arguments.pooling.empty()) settings.set_flag("pooling", arguments.pooling);
  set_if_given(settings, "layers", arguments.layers);
  set_if_given(settings, "hidden_size", arguments.hidden_size);
  set_if_given(settings, "attention_heads", arguments.attention_heads);
  set_if_given(settings, "max_length", arguments.max_length);
  set_if_given(settings, "seed", arguments.seed);
  const Json asked = json_of(settings.config("recipe", true).get());
  check_sources(arguments.output, asked);
  const bool teaches = !text_of(asked, "student.encoder").empty();
  if (teaches || !text_of(asked, "static.encoder").empty()) {
    // The source folder decides the shape. The environment's keys are meant for models with random
    // weights.
    for (const std::string& key : settings.keys("recipe")) {
      const bool used = key.find('.') != std::string::npos || key == "device" ||
                        key == "precision" || (teaches && key == "pooling");
      if (!used) settings.ignore_environment(key);
    }
  }
  const ConfigHandle config = settings.config("recipe", true);
  Outcome created;
  const Model model(cs_model_create(config.get(), created));
  created.check();
  Outcome saved;
  cs_model_save(model.get(), arguments.output.c_str(), saved);
  saved.check();
  Outcome described;
  const String text(cs_model_info(model.get(), described));
  described.check();
  const Json info = Json::parse(text.get());
  if (common.json) {
    print_json(info);
  } else if (!common.quiet) {
    print_line("created " + arguments.output + ": " + info.at("family").get<std::string>() + ", " +
               info.at("parameters").dump() + " parameters, " + info.at("dimension").dump() +
               " dimensions");
  }
}

void learn_vocabulary(const VocabularyArguments& arguments, const Common& common) {
  check_free(arguments.output, arguments.force);
  Settings settings(arguments.config, arguments.assignments);
  settings.use_topic("vocabulary");
  if (!arguments.kind.empty()) settings.set_flag("kind", arguments.kind);
  set_if_given(settings, "size", arguments.size);
  const ConfigHandle config = settings.config("vocabulary", true);
  Outcome outcome;
  cs_vocabulary_train(arguments.input.c_str(), arguments.output.c_str(), config.get(),
                      cancel_flag(), outcome);
  outcome.check();
  if (common.json) {
    print_json({{"output", arguments.output}});
  } else if (!common.quiet) {
    print_line("wrote the vocabulary to " + arguments.output);
  }
}

}  // namespace

void add_create(CLI::App& program, Common& common) {
  static CreateArguments arguments;
  CLI::App* verb = add_verb(
      program, "create",
      "Create a model: with random weights for training from scratch, or from another model as "
      "static embeddings or a student",
      R"(  contrastive create --tokenizer my-vocabulary --pooling cls --layers 4 --hidden-size 256 --attention-heads 4 --output fresh
  contrastive create --set static.encoder=all-MiniLM-L6-v2 --set static.dimension=256 --output fast
  contrastive create --set student.encoder=all-MiniLM-L6-v2 --set student.layers=3 --output half
--set takes every key of `contrastive config recipe`.)",
      common, [&common] { create(arguments, common); });
  add_option(verb, "-t,--tokenizer", arguments.tokenizer,
             "folder with tokenizer.json, vocab.txt, or vocab.json and merges.txt; required unless "
             "static.encoder or student.encoder is set");
  add_option(verb, "--pooling", arguments.pooling,
             "how token states become one vector: cls, mean, ...");
  add_option(verb, "--layers", arguments.layers, "transformer layers; default: 12");
  add_option(verb, "--hidden-size", arguments.hidden_size,
             "width of the hidden states; default: 768");
  add_option(verb, "--attention-heads", arguments.attention_heads,
             "number of attention heads; it must divide the hidden size; default: 12");
  add_option(verb, "--max-length", arguments.max_length,
             "tokens of the longest text; default: 512");
  add_option(verb, "--seed", arguments.seed, "number that decides the weights");
  add_option(verb, "-o,--output", arguments.output, "folder of the new model")->required();
  verb->add_option("--config", arguments.config, "JSON file with config keys");
  verb->add_option("--set", arguments.assignments, "key=value; may be repeated");
  verb->add_flag("--force", arguments.force, "replace the output");
}

void add_vocabulary(CLI::App& program, Common& common) {
  static VocabularyArguments arguments;
  CLI::App* verb =
      add_verb(program, "vocabulary",
               "Learn a vocabulary (WordPiece, byte-level BPE or Unigram) from texts",
               R"(  contrastive vocabulary --input corpus.txt --size 16000 --output my-vocabulary
  contrastive vocabulary --input corpus.txt --kind byte-bpe --size 32000 --output my-vocabulary)",
               common, [&common] { learn_vocabulary(arguments, common); });
  add_option(verb, "-i,--input", arguments.input, "texts, one a line")->required();
  add_option(verb, "--kind", arguments.kind, "wordpiece (default), byte-bpe or unigram")
      ->check(CLI::IsMember({"wordpiece", "byte-bpe", "unigram"}));
  add_option(verb, "--size", arguments.size, "number of tokens; default: 30000");
  add_option(verb, "-o,--output", arguments.output, "folder of the vocabulary")->required();
  verb->add_option("--config", arguments.config, "JSON file with config keys");
  verb->add_option("--set", arguments.assignments, "key=value; may be repeated");
  verb->add_flag("--force", arguments.force, "replace the output");
}

}  // namespace contrastive::cli
