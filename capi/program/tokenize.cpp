// contrastive tokenize: prints the token ids of each line. Truncates only on request.
#include "capi/program/failure.h"
#include "capi/program/line_tokenizer.h"
#include "capi/program/rows.h"
#include "capi/program/signals.h"
#include "capi/program/verb.h"

namespace contrastive::cli {
namespace {

struct TokenizeArguments {
  ModelArguments model;
  RowOptions rows;
  ColumnArguments column;
  std::string input = "-";
  std::vector<std::string> texts;
  int max_length = 0;
  bool tokens = false, offsets = false;
};

void print_tokens(const cs_model* model, const Tokens& tokens, const TokenizeArguments& arguments,
                  bool json) {
  if (!json) {
    std::string line;
    for (const int32_t id : tokens.ids)
      line += (line.empty() ? "" : " ") +
              (arguments.tokens ? token_text(model, id) : std::to_string(id));
    print_line(line);
    return;
  }
  Json document = {{"ids", tokens.ids}};
  if (arguments.tokens) {
    Json texts = Json::array();
    for (const int32_t id : tokens.ids) texts.push_back(token_text(model, id));
    document["tokens"] = std::move(texts);
  }
  if (arguments.offsets) {
    Json pairs = Json::array();
    for (size_t i = 0; i < tokens.begins.size(); ++i)
      pairs.push_back(Json::array({tokens.begins[i], tokens.ends[i]}));
    document["offsets"] = std::move(pairs);
  }
  print_json(document);
}

void run(TokenizeArguments& arguments, const Common& common) {
  if (arguments.offsets && !common.json) throw usage_failure("--offsets needs --json");
  arguments.column.apply(arguments.rows);
  if (!arguments.texts.empty()) {
    const Model model = load_model(arguments.model);
    LineTokenizer tokenizer(model.get(), arguments.max_length, arguments.offsets);
    for (const std::string& text : arguments.texts)
      print_tokens(model.get(), tokenizer.tokenize(text), arguments, common.json);
    return;
  }
  RowReader reader(arguments.input, arguments.rows);
  const Model model = load_model(arguments.model);
  LineTokenizer tokenizer(model.get(), arguments.max_length, arguments.offsets);
  std::vector<std::string> row;
  while (reader.next(row)) {
    stop_if_asked();
    print_tokens(model.get(), tokenizer.tokenize(row[0]), arguments, common.json);
  }
}

}  // namespace

void add_tokenize(CLI::App& program, Common& common) {
  static TokenizeArguments arguments;
  CLI::App* verb = add_verb(program, "tokenize", "Print the token ids of texts",
                            R"(  contrastive tokenize --model DIR --input texts.txt --json
  contrastive tokenize --model DIR --tokens "unbelievable")",
                            common, [&common] { run(arguments, common); });
  arguments.model.embeds = false;
  arguments.model.any_kind = true;
  add_model_options(verb, arguments.model);
  CLI::Option* input = add_option(verb, "-i,--input", arguments.input,
                                  "txt (one text a line), tsv or jsonl; default: standard input");
  verb->add_option("texts", arguments.texts, "texts, instead of --input")->excludes(input);
  add_option(verb, "--format", arguments.rows.format,
             "txt, tsv or jsonl; default: by the input's name, else its first line")
      ->check(CLI::IsMember({"auto", "txt", "tsv", "jsonl"}));
  arguments.column.add_to(verb, "column of the text");
  add_option(verb, "--max-length", arguments.max_length,
             "ids of a text; longer texts are cut; default: no limit")
      ->check(CLI::Range(1, 1 << 30));
  verb->add_flag("--tokens", arguments.tokens,
                 "print the tokens' texts instead of ids; with --json both");
  verb->add_flag(
      "--offsets", arguments.offsets,
      "first byte and end of each token in its text; -1 for special tokens (with --json)");
}

}  // namespace contrastive::cli
