#include "capi/program/shards/verify.h"

#include <charconv>
#include <cstdio>
#include <map>
#include <set>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/shards/encode_shard.h"
#include "capi/program/shards/receipt.h"
#include "capi/program/shards/shard_contents.h"
#include "capi/program/shards/shard_files.h"
#include "capi/program/terminal.h"

namespace contrastive::cli {
namespace {

constexpr int64_t kMissingNamed = 20;

class FolderCheck {
 public:
  FolderCheck(const EncodeArguments& arguments, const Common& common)
      : arguments_(arguments), common_(common), folder_(arguments.verify) {}

  void run() {
    read_receipts();
    if (!receipts_.empty()) {
      compare_receipts();
      find_missing();
      look_for_strays();
      prepare_contents();
      for (const auto& [index, receipt] : receipts_) check_files({index, count_}, receipt);
    }
    report();
  }

 private:
  void complain(const std::string& name, const std::string& what) {
    problems_.push_back(name + ": " + what);
  }

  // Reads the receipts of shards with the same count. Shards with another count are problems.
  void read_receipts() {
    const std::vector<Shard> shards = shards_with_receipts(folder_);
    if (shards.empty()) complain(folder_, "no shard is there");
    std::map<int64_t, int64_t> divisions;
    for (const Shard& shard : shards) ++divisions[shard.count];
    for (const auto& [count, many] : divisions) {
      if (count_ == 0 || many > divisions[count_]) count_ = count;
    }
    for (const Shard& shard : shards) {
      if (shard.count != count_) {
        complain(receipt_name(shard), "the other shards are of " + std::to_string(count_));
        continue;
      }
      try {
        receipts_.emplace(shard.index, Receipt::read(folder_, shard));
      } catch (const Failure& failure) {
        complain(receipt_name(shard), failure.message);
      }
    }
  }

  void compare_receipts() {
    const Receipt& first = receipts_.begin()->second;
    for (const auto& [key, value] : first.metadata.items()) {
      if (key != "shard") reference_.emplace_back(key, value.get<std::string>());
    }
    const std::string rows = first.metadata.value("input_rows", "");
    if (std::from_chars(rows.data(), rows.data() + rows.size(), total_).ec != std::errc())
      complain(receipt_name(shard(0)), "input_rows is not a number");
    for (const auto& [index, receipt] : receipts_) {
      const std::string name = receipt_name(shard(index)),
                        difference = metadata_difference(receipt.metadata, reference_);
      if (!difference.empty()) complain(name, difference);
      if (receipt.format != first.format)
        complain(name, "the format is " + receipt.format + ", not " + first.format);
      if (receipt.rows != shard(index).rows_of(total_)) {
        complain(name, "the shard has " + counted(receipt.rows, "row") + ", its share is " +
                           with_commas(shard(index).rows_of(total_)));
      }
    }
  }

  void find_missing() {
    int64_t missing = 0;
    for (int64_t index = 0; index < count_; ++index) {
      if (receipts_.count(index) == 0 && ++missing <= kMissingNamed)
        complain(shard(index).stem(), "the shard is missing");
    }
    if (missing > kMissingNamed)
      complain(folder_, "and " + counted(missing - kMissingNamed, "shard") + " more are missing");
  }

  // Reports data without a receipt: it is half-written or belongs to another job.
  void look_for_strays() {
    std::set<std::string> known;
    for (const auto& [index, receipt] : receipts_) {
      for (const ShardFile& file : receipt.files) known.insert(file.name);
    }
    for (const std::string& name : names_in(folder_)) {
      if (name[0] != '.' && name[0] != '_' && known.count(name) == 0)
        complain(name, "no receipt names this file: it is half-written, or of another job");
    }
  }

  // If a model or a corpus is given: checks that the shards belong to it, and prepares comparing
  // their rows with it.
  void prepare_contents() {
    ShardMetadata wanted;
    if (!arguments_.model.model.empty()) {
      model_ = load_model(arguments_.model);
      embedder_ = std::make_unique<Embedder>(model_.get(), arguments_.embed);
      wanted = model_metadata(model_.get(), arguments_.embed, *embedder_);
    }
    if (!arguments_.input.empty()) {
      const Survey survey = survey_input(arguments_.input, rows_with_ids(arguments_));
      add_input(wanted, survey);
      if (survey.rows == total_) contents_.input = arguments_.input;
      contents_.rows = rows_with_ids(arguments_);
    }
    const std::string difference = metadata_difference(receipts_.begin()->second.metadata, wanted);
    if (!difference.empty()) complain(folder_, difference);
    contents_.total = total_;
    if (!arguments_.sample.empty()) contents_.sample = sample_size();
    if (difference.empty()) contents_.embedder = embedder_.get();
  }

  int64_t sample_size() const {
    const std::string& text = arguments_.sample;
    if (text == "all") return total_;
    int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size() || number < 1 ||
        number > (int64_t{1} << 31)) {
      throw usage_failure("--sample '" + text + "': a number of rows from 1 on, or all, is needed");
    }
    return number;
  }

  void check_files(const Shard& shard, const Receipt& receipt) {
    const std::string damage = receipt.damage(folder_);
    if (!damage.empty()) {
      problems_.push_back(damage);
      return;
    }
    try {
      const std::string wrong = check_contents(folder_, shard, receipt, contents_, found_);
      if (!wrong.empty()) complain(shard.stem(), wrong);
    } catch (const Failure& failure) {
      if (failure.exit_code == kExitNotInstalled) {
        unread_ = failure.message;
      } else if (failure.exit_code == kExitData) {
        complain(shard.stem(), failure.message);
      } else {
        throw;
      }
    }
  }

  void report() const {
    int64_t rows = 0;
    for (const auto& [index, receipt] : receipts_) rows += receipt.rows;
    if (common_.json) {
      print_json({{"folder", folder_},
                  {"shards", receipts_.size()},
                  {"of", count_},
                  {"rows", rows},
                  {"sampled", found_.sampled},
                  {"largest_difference", found_.largest_difference},
                  {"contents_read", unread_.empty()},
                  {"problems", problems_}});
    } else {
      for (const std::string& problem : problems_) print_line(problem);
    }
    flush_stdout();
    if (!unread_.empty())
      print_warning("sizes and hashes of the files are checked, their rows are not: " + unread_);
    if (!problems_.empty())
      throw Failure(kExitCheck, "CHECK",
                    counted(static_cast<int64_t>(problems_.size()), "problem") + " in '" + folder_ +
                        "'");
    if (common_.quiet) return;
    std::string line =
        counted(count_, "shard") + ", " + counted(rows, "row") + ": all are complete";
    if (found_.sampled > 0) line += "; " + counted(found_.sampled, "row") + " encoded again";
    std::fprintf(stderr, "%s\n", line.c_str());
  }

  Shard shard(int64_t index) const { return {index, count_}; }

  const EncodeArguments& arguments_;
  const Common& common_;
  std::string folder_, unread_;
  int64_t count_ = 0, total_ = 0;
  std::map<int64_t, Receipt> receipts_;
  ShardMetadata reference_;
  Model model_;
  std::unique_ptr<Embedder> embedder_;
  ContentsCheck contents_;
  ContentsFound found_;
  std::vector<std::string> problems_;
};

}  // namespace

void verify_shards(const EncodeArguments& arguments, const Common& common) {
  if (!arguments.sample.empty() && (arguments.model.model.empty() || arguments.input.empty())) {
    throw usage_failure("--sample encodes rows again: --model and --input are needed");
  }
  if (!arguments.shard.empty() || !arguments.output.empty())
    throw usage_failure("--verify looks at a whole folder: leave --shard and --output out");
  FolderCheck(arguments, common).run();
}

}  // namespace contrastive::cli
