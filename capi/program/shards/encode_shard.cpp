#include "capi/program/shards/encode_shard.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/progress.h"
#include "capi/program/shards/receipt.h"
#include "capi/program/shards/shard_files.h"
#include "capi/program/shards/shard_lock.h"
#include "capi/program/signals.h"
#include "capi/program/terminal.h"
#include "core/base/sha256.h"

namespace contrastive::cli {
namespace {

std::string shard_format(const EncodeArguments& arguments) {
  if (arguments.output_format == "f32")
    throw usage_failure("--output-format f32 has no place for ids and hashes",
                        "use npy, jsonl, arrow or parquet");
  return arguments.output_format == "auto" ? "npy" : arguments.output_format;
}

Failure foreign(const std::string& folder, const Shard& shard, const std::string& what) {
  return Failure(kExitData, "MISMATCH", "the folder holds a shard of another job: " + what,
                 "give another --output, or remove what is there")
      .at(folder + "/" + receipt_name(shard));
}

// Comparing with one other shard is enough: each was compared with another one when it was written,
// and --verify compares all.
void check_neighbours(const std::string& folder, const Shard& own, const std::string& format,
                      const ShardMetadata& metadata) {
  for (const Shard& other : shards_with_receipts(folder)) {
    if (other == own) continue;
    const Receipt receipt = Receipt::read(folder, other);
    const std::string difference = metadata_difference(receipt.metadata, metadata);
    if (!difference.empty()) throw foreign(folder, other, difference);
    if (receipt.format != format)
      throw foreign(folder, other, "its format is " + receipt.format + ", not " + format);
    return;
  }
}

// Whether the shard exists and is complete. If a damaged one is to be written again, `again` says
// why.
bool is_finished(const std::string& folder, const Shard& shard, const std::string& format,
                 const ShardMetadata& metadata, std::string& again) {
  if (!has_receipt(folder, shard)) return false;
  Receipt receipt;
  try {
    receipt = Receipt::read(folder, shard);
  } catch (const Failure& failure) {
    if (failure.exit_code != kExitData) throw;
    again = failure.message;
    return false;
  }
  std::string difference = metadata_difference(receipt.metadata, metadata);
  if (difference.empty() && receipt.format != format)
    difference = "its format is " + receipt.format + ", not " + format;
  if (!difference.empty()) throw foreign(folder, shard, difference);
  again = receipt.damage(folder);
  return again.empty();
}

// Refuses an input in the output folder that has the name of a shard's file.
void check_input_is_other(const std::string& input, const std::string& folder, const Shard& shard) {
  for (const std::string& name : possible_names(shard.stem())) {
    const std::string path = folder + "/" + name;
    if (is_same_file(input, path))
      throw usage_failure("'" + path + "' is the input: choose another folder for the output");
  }
}

// Removes files with the shard's names, which a killed process or another format left. Other files
// with the same prefix do not belong to this program.
void remove_leftovers(const std::string& folder, const Shard& shard) {
  if (has_receipt(folder, shard)) remove_receipt(folder, shard);
  for (const std::string& name : possible_names(shard.stem())) {
    const std::string path = folder + "/" + name;
    if (unlink(path.c_str()) != 0 && errno != ENOENT) throw system_failure("remove", path, errno);
  }
}

// Refuses ids that are not UTF-8: text columns are UTF-8 in every format.
void check_id(const std::string& id, int64_t number, const std::string& input) {
  try {
    static_cast<void>(Json(id).dump());
  } catch (const Json::exception&) {
    throw Failure(kExitData, "FORMAT",
                  "the id of row " + std::to_string(number) + " (from 0) is not UTF-8")
        .at(input);
  }
}

void check_unchanged(const std::string& input, const Survey& before, const Survey& now) {
  if (before.hash == now.hash && before.rows == now.rows) return;
  throw Failure(kExitData, "CORRUPT",
                "the corpus changed while it was read: it had " + counted(before.rows, "row") +
                    " and SHA-256 " + before.hash.substr(0, 12) + "..., then " +
                    counted(now.rows, "row") + " and " + now.hash.substr(0, 12) + "...",
                "nothing was written; encode a corpus that does not change")
      .at(input);
}

}  // namespace

RowOptions rows_with_ids(const EncodeArguments& arguments) {
  RowOptions rows = arguments.rows;
  rows.id_column = arguments.id_column;
  return rows;
}

Survey survey_input(const std::string& input, const RowOptions& rows) {
  struct stat info{};
  if (input == "-" || (stat(input.c_str(), &info) == 0 && S_ISFIFO(info.st_mode))) {
    throw usage_failure(
        "shards are of a file: " + (input == "-" ? "standard input" : "'" + input + "'") +
        " cannot be read twice");
  }
  RowReader reader(input, rows);
  Sha256 digest;
  reader.digest_into(&digest);
  Survey survey;
  std::vector<std::string> row;
  for (; reader.next(row); ++survey.rows) {
    if (survey.rows % 4096 == 0) stop_if_asked();
  }
  survey.hash = digest.hex();
  return survey;
}

void encode_shard(const EncodeArguments& arguments, const Common& common) {
  const Shard shard = Shard::parse(arguments.shard);
  const std::string format = shard_format(arguments);
  need_shard_format(format);
  const RowOptions rows = rows_with_ids(arguments);
  const std::string& folder = arguments.output;
  if (folder == "-") throw usage_failure("--shard writes files: --output is a folder");
  check_input_is_other(arguments.input, folder, shard);
  const Survey survey = survey_input(arguments.input, rows);
  make_folders(folder);
  const ShardLock lock(folder, shard);
  const Model model = load_model(arguments.model);
  const Embedder embedder(model.get(), arguments.embed);
  ShardMetadata metadata = model_metadata(model.get(), arguments.embed, embedder);
  add_input(metadata, survey);
  add_reading(metadata, rows);
  add_shard(metadata, shard);
  check_neighbours(folder, shard, format, metadata);
  std::string again;
  if (!arguments.force && is_finished(folder, shard, format, metadata, again)) {
    if (common.json)
      print_json({{"output", folder}, {"shard", shard.text()}, {"left_alone", true}});
    if (!common.quiet)
      std::fprintf(stderr, "shard %s is already complete: it is left alone\n",
                   shard.text().c_str());
    return;
  }
  if (!again.empty()) print_warning("shard " + shard.text() + " is written again: " + again);
  remove_leftovers(folder, shard);
  RowReader reader(arguments.input, rows);
  Sha256 digest;
  reader.digest_into(&digest);
  const auto writer =
      make_shard_writer(folder, shard.stem(),
                        {format, embedder.dimension(), !arguments.id_column.empty()}, metadata);
  EncodeTotals totals;
  double seconds = 0;
  {
    Progress progress("encoding shard " + shard.text(), "texts", common.progress());
    totals =
        encode_rows(arguments.input, reader, {shard.index, shard.count}, embedder, progress,
                    [&](const EncodedRow& row) {
                      if (!arguments.id_column.empty())
                        check_id(row.fields->back(), row.number, arguments.input);
                      writer->add({row.number, row.fields->back(), text_hash(row.fields->front()),
                                   row.embedding, row.tokens, row.truncated});
                    });
    seconds = progress.seconds();
  }
  check_unchanged(arguments.input, survey, {digest.hex(), totals.rows});
  check_neighbours(folder, shard, format, metadata);  // again, before the files get their names
  const std::vector<std::string> names = writer->commit();
  const Receipt receipt = Receipt::make(folder, metadata, format, totals.texts, names);
  receipt.write(folder, shard);
  report_encoded(arguments, common, embedder, totals, reader.skipped(), seconds);
  if (reader.skipped() > 0)
    throw Failure(kExitRows, "FORMAT", with_commas(reader.skipped()) + " rows were skipped")
        .at(arguments.input);
}

}  // namespace contrastive::cli
