// contrastive encode: texts in, embeddings out, in blocks, so that a large input never lies in memory whole.
#include <cstdio>

#include "capi/cli/embed.h"
#include "capi/cli/embedding_writer.h"
#include "capi/cli/failure.h"
#include "capi/cli/progress.h"
#include "capi/cli/rows.h"
#include "capi/cli/signals.h"

namespace contrastive::cli {
namespace {

constexpr int64_t kBlockTexts = 2048;  // enough to sort by length and keep all threads busy, few enough for progress to be seen
constexpr size_t kBlockBytes = size_t{8} << 20;

struct EncodeArguments {
  ModelArguments model;
  EmbedArguments embed;
  RowOptions rows;
  ColumnArguments column;
  std::string input, output, output_format = "auto";
  bool force = false, strict_rows = false;
};

struct Totals {
  int64_t texts = 0, tokens = 0, truncated = 0;
};

// `lines` is where each text of the block stands in the input.
bool fill(RowReader& reader, TextBlock& block, std::vector<int64_t>& lines) {
  block.clear();
  lines.clear();
  std::vector<std::string> row;
  while (block.size() < kBlockTexts && block.data.size() < kBlockBytes) {
    if (!reader.next(row)) return false;
    block.add(row[0]);
    lines.push_back(reader.line());
  }
  return true;
}

// The library's messages on one text of several begin with its index, "texts[7] ...": to the user it is a line of the input.
Failure with_line(Failure failure, const std::string& input, const std::vector<int64_t>& lines) {
  long long i = -1;
  if (std::sscanf(failure.message.c_str(), "texts[%lld]", &i) != 1 || i < 0 || i >= static_cast<long long>(lines.size())) return failure;
  return failure.at(input, lines[static_cast<size_t>(i)]);
}

Totals encode_rows(const std::string& input, RowReader& reader, const Embedder& embedder, EmbeddingWriter& writer, Progress& progress) {
  Totals totals;
  TextBlock block;
  std::vector<float> embeddings;
  std::vector<int32_t> counts;
  std::vector<int64_t> lines;
  for (bool more = true; more;) {
    more = fill(reader, block, lines);
    try {
      embedder.embed(block, embeddings, counts);
    } catch (const Failure& failure) {
      throw with_line(failure, input, lines);
    }
    for (int64_t i = 0; i < block.size(); ++i) {
      const bool truncated = counts[i] > embedder.max_length();
      writer.add({totals.texts++, &embeddings[static_cast<size_t>(i) * static_cast<size_t>(embedder.dimension())], counts[i], truncated});
      totals.truncated += truncated;
      totals.tokens += std::min(counts[i], embedder.max_length());
    }
    const double rate = static_cast<double>(totals.tokens) / std::max(progress.seconds(), 1e-9);
    progress.update(totals.texts, reader.fraction(), with_commas(static_cast<int64_t>(rate)) + " tokens/s");
  }
  return totals;
}

void report(const EncodeArguments& arguments, const Common& common, const Embedder& embedder, const Totals& totals, int64_t skipped, double seconds) {
  if (common.json && arguments.output != "-") {
    print_json({{"output", arguments.output},
                {"texts", totals.texts},
                {"dimension", embedder.dimension()},
                {"tokens", totals.tokens},
                {"truncated", totals.truncated},
                {"skipped", skipped},
                {"seconds", seconds}});
  }
  if (common.quiet) return;
  std::string line = "encoded " + counted(totals.texts, "text") + ", " + counted(totals.tokens, "token") + ", in " + fixed(seconds, 1) + " s";
  if (totals.truncated > 0) line += "; " + counted(totals.truncated, "text") + " cut at " + std::to_string(embedder.max_length()) + " tokens";
  if (skipped > 0) line += "; " + counted(skipped, "row") + " skipped";
  std::fprintf(stderr, "%s\n", line.c_str());
}

void run(EncodeArguments& arguments, const Common& common) {
  const std::string format = embedding_format(arguments.output, arguments.output_format);
  arguments.rows.skip_bad_rows = arguments.strict_rows;
  arguments.column.apply(arguments.rows);
  arguments.embed.pooling = arguments.model.pooling;
  RowReader reader(arguments.input, arguments.rows);
  OutputFile file(arguments.output, arguments.force, arguments.input);
  const Model model = load_model(arguments.model);
  const Embedder embedder(model.get(), arguments.embed);
  const auto writer = make_embedding_writer(format, file, embedder.dimension());
  Totals totals;
  double seconds = 0;
  {
    Progress progress("encoding", "texts", common.progress());
    totals = encode_rows(arguments.input, reader, embedder, *writer, progress);
    seconds = progress.seconds();
  }
  writer->finish(totals.texts);
  file.commit();
  report(arguments, common, embedder, totals, reader.skipped(), seconds);
  if (reader.skipped() > 0) throw Failure(kExitRows, "FORMAT", with_commas(reader.skipped()) + " rows were skipped").at(arguments.input);
}

}  // namespace

void add_encode(CLI::App& program, Common& common) {
  static EncodeArguments arguments;
  CLI::App* verb = add_verb(program, "encode", "Embed the texts of a file", R"(  contrastive encode --model DIR --input texts.txt --output texts.npy
  cut -f2 pairs.tsv | contrastive encode --model DIR --input - --output - --truncate-dim 128)",
                            common, [&common] { run(arguments, common); });
  add_model_options(verb, arguments.model);
  add_option(verb, "-i,--input", arguments.input, "txt (one text a line), tsv or jsonl; - for standard input")->required();
  add_option(verb, "-o,--output", arguments.output, ".npy, .jsonl or .f32 (raw float32); - for standard output, as jsonl")->required();
  add_option(verb, "--output-format", arguments.output_format, "npy, jsonl or f32; default: by the output's name")
      ->check(CLI::IsMember({"auto", "npy", "jsonl", "f32"}));
  add_option(verb, "--format", arguments.rows.format, "txt, tsv or jsonl; default: by the input's name, else txt")
      ->check(CLI::IsMember({"auto", "txt", "tsv", "jsonl"}));
  arguments.column.add_to(verb, "column of the text");
  verb->add_flag("--strict-rows", arguments.strict_rows, "skip rows that cannot be read, and exit with 7 if there were any");
  verb->add_flag("-f,--force", arguments.force, "replace an existing output");
  add_embed_options(verb, arguments.embed);
}

}  // namespace contrastive::cli
