// contrastive encode: embeds the texts of a file, or one shard of a corpus (capi/program/shards).
#include "capi/program/encode.h"

#include <cstdio>

#include "capi/program/embedding_writer.h"
#include "capi/program/failure.h"
#include "capi/program/progress.h"
#include "capi/program/shards/encode_shard.h"
#include "capi/program/shards/verify.h"
#include "capi/program/terminal.h"
#include "capi/program/texts_digest.h"

namespace contrastive::cli {

void report_encoded(const EncodeArguments& arguments, const Common& common,
                    const Embedder& embedder, const EncodeTotals& totals, int64_t skipped,
                    double seconds) {
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
  std::string line = "encoded " + counted(totals.texts, "text") + ", " +
                     counted(totals.tokens, "token") + ", in " + fixed(seconds, 1) + " s";
  if (totals.truncated > 0)
    line += "; " + counted(totals.truncated, "text") + " cut at " +
            std::to_string(embedder.max_length()) + " tokens";
  if (skipped > 0) line += "; " + counted(skipped, "row") + " skipped";
  std::fprintf(stderr, "%s\n", line.c_str());
}

namespace {

void need_option(const std::string& value, const std::string& option) {
  if (value.empty()) throw usage_failure(option + " is required");
}

void encode_file(EncodeArguments& arguments, const Common& common) {
  const std::string format = embedding_format(arguments.output, arguments.output_format);
  if (!arguments.id_column.empty())
    throw usage_failure("--id-column is for shards: without --shard a row's id is its number");
  RowReader reader(arguments.input, arguments.rows);
  OutputFile file(arguments.output, arguments.force, arguments.input);
  const Model model = load_model(arguments.model);
  const Embedder embedder(model.get(), arguments.embed);
  const auto writer = make_embedding_writer(format, file, embedder.dimension());
  EncodeTotals totals;
  TextsDigest digest;
  double seconds = 0;
  {
    Progress progress("encoding", "texts", common.progress());
    totals =
        encode_rows(arguments.input, reader, {}, embedder, progress, [&](const EncodedRow& row) {
          writer->add({row.number, row.embedding, row.tokens, row.truncated});
          digest.add(row.fields->front());
        });
    seconds = progress.seconds();
  }
  writer->finish(totals.texts);
  file.commit();
  if (format == "npy" && file.seekable()) digest.keep_for(arguments.output);
  report_encoded(arguments, common, embedder, totals, reader.skipped(), seconds);
  if (reader.skipped() > 0)
    throw Failure(kExitRows, "FORMAT", with_commas(reader.skipped()) + " rows were skipped")
        .at(arguments.input);
}

void run(EncodeArguments& arguments, const Common& common) {
  arguments.rows.skip_bad_rows = arguments.strict_rows;
  arguments.column.apply(arguments.rows);
  arguments.embed.pooling = arguments.model.pooling;
  if (!arguments.verify.empty()) {
    verify_shards(arguments, common);
    return;
  }
  if (!arguments.sample.empty()) throw usage_failure("--sample belongs to --verify");
  need_option(arguments.model.model, "--model");
  need_option(arguments.input, "--input");
  need_option(arguments.output, "--output");
  if (arguments.shard.empty()) encode_file(arguments, common);
  else encode_shard(arguments, common);
}

}  // namespace

void add_encode(CLI::App& program, Common& common) {
  static EncodeArguments arguments;
  CLI::App* verb = add_verb(program, "encode", "Embed the texts of a file",
                            R"(  contrastive encode --model DIR --input texts.txt --output texts.npy
  cut -f2 pairs.tsv | contrastive encode --model DIR --input - --output - --truncate-dim 128
  contrastive encode --model DIR --input corpus.jsonl --output parts --shard 3/16 --output-format parquet
  contrastive encode --verify parts --model DIR --input corpus.jsonl --sample 100
  contrastive encode --model DIR --input corpus.txt --output a.npy --set devices=cuda:0,cuda:1)",
                            common, [&common] { run(arguments, common); });
  add_model_options(verb, arguments.model);
  verb->get_option("--model")->required(false);  // --verify does not need it
  add_option(
      verb, "-i,--input", arguments.input,
      "txt (one text a line), tsv or jsonl; - for standard input; required, except with --verify");
  add_option(verb, "-o,--output", arguments.output,
             ".npy (with a file for the digest of its texts, for search), .jsonl or .f32 (raw "
             "float32); - for standard output, as jsonl; with --shard a folder");
  add_option(verb, "--output-format", arguments.output_format,
             "npy, jsonl, f32, or, with --shard, arrow and parquet; default: by the output's name, "
             "npy for a shard")
      ->check(CLI::IsMember({"auto", "npy", "jsonl", "f32", "arrow", "parquet"}));
  add_option(verb, "--format", arguments.rows.format,
             "txt, tsv or jsonl; default: by the input's name, else its first line")
      ->check(CLI::IsMember({"auto", "txt", "tsv", "jsonl"}));
  arguments.column.add_to(verb, "column of the text");
  verb->add_flag("--strict-rows", arguments.strict_rows,
                 "skip rows that cannot be read, and exit with 7 if there were any");
  verb->add_flag("-f,--force", arguments.force, "replace an existing output");
  add_option(verb, "--shard", arguments.shard,
             "I/N: encode the rows whose number modulo N is I (from 0), into the folder --output; "
             "a finished shard is left alone");
  add_option(
      verb, "--id-column", arguments.id_column,
      "with --shard: column of the row's id, given as for --column; default: the row's number");
  add_option(verb, "--verify", arguments.verify,
             "check the shards of a folder; with --model and --input, check that they match them");
  add_option(verb, "--sample", arguments.sample,
             "with --verify, --model and --input: rows to encode again and compare; a number, "
             "or all");
  add_embed_options(verb, arguments.embed);
}

}  // namespace contrastive::cli
