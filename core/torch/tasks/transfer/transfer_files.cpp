#include "core/torch/tasks/transfer/transfer_files.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/nearest.h"
#include "core/eval/lines.h"
#include "core/eval/tsv.h"

namespace contrastive::eval {
namespace {

using Part = TransferData::Part;
using Names = std::vector<std::string>;

struct Source {
  const char* task;
  TransferProtocol protocol;
  bool pairs;
  Names labels;    // class i is labels[i]
  Names senteval;  // files: of class 1 and of class 0, or of the parts train, (dev,) test
};

const std::vector<Source>& sources() {
  constexpr auto kNested = TransferProtocol::kNestedFolds;
  static const std::vector<Source> all = {
      {"MR", kNested, false, {"0", "1"}, {"MR/rt-polarity.pos", "MR/rt-polarity.neg"}},
      {"CR", kNested, false, {"0", "1"}, {"CR/custrev.pos", "CR/custrev.neg"}},
      {"SUBJ", kNested, false, {"0", "1"}, {"SUBJ/subj.objective", "SUBJ/subj.subjective"}},
      {"MPQA", kNested, false, {"0", "1"}, {"MPQA/mpqa.pos", "MPQA/mpqa.neg"}},
      {"SST2",
       TransferProtocol::kGivenDev,
       false,
       {"0", "1"},
       {"SST/binary/sentiment-train", "SST/binary/sentiment-dev", "SST/binary/sentiment-test"}},
      {"SST5",
       TransferProtocol::kGivenDev,
       false,
       {"0", "1", "2", "3", "4"},
       {"SST/fine/sentiment-train", "SST/fine/sentiment-dev", "SST/fine/sentiment-test"}},
      {"TREC",
       TransferProtocol::kFoldsOfTrain,
       false,
       {"ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"},
       {"TREC/train_5500.label", "TREC/TREC_10.label"}},
      {"MRPC",
       TransferProtocol::kFoldsOfTrain,
       true,
       {"0", "1"},
       {"MRPC/msr_paraphrase_train.txt", "MRPC/msr_paraphrase_test.txt"}},
  };
  return all;
}

std::string utf8_of_latin1(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result.push_back(c);
    } else {
      result.push_back(static_cast<char>(0xC0 | byte >> 6));
      result.push_back(static_cast<char>(0x80 | (byte & 0x3F)));
    }
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

int64_t label_number(const Source& source, std::string_view label, std::string_view where) {
  const auto found = std::find(source.labels.begin(), source.labels.end(), label);
  if (found == source.labels.end()) {
    std::string legal;
    for (const std::string& name : source.labels) legal += (legal.empty() ? "" : ", ") + name;
    fail(Status::kFormat, where, ": label '", label.substr(0, 40), "' of ", source.task,
         " is not one of ", legal);
  }
  return found - source.labels.begin();
}

// The lines of a Latin-1 file that are not blank.
void read_latin1(const std::string& path,
                 const std::function<void(std::string_view line, std::string_view where)>& use) {
  bool any = false;
  for_each_line(path, [&](const TextLine& line) {
    const std::string_view text = trimmed(line.text);
    if (text.empty()) return;
    use(text, line.where);
    any = true;
  });
  check(any, Status::kFormat, path, ": no line in it");
}

Part read_tsv_part(const Source& source, const std::string& path) {
  Part part;
  read_tsv(path, source.pairs ? 3 : 2, [&](const TsvRow& row) {
    part.labels.push_back(label_number(source, row.fields[0], row.where));
    part.first.emplace_back(row.fields[1]);
    if (source.pairs) part.second.emplace_back(row.fields[2]);
  });
  return part;
}

Part read_of_classes(const Source& source, const std::string& folder) {
  Part part;
  for (const int64_t label : {1, 0}) {
    read_latin1(folder + source.senteval[1 - label], [&](std::string_view line, std::string_view) {
      part.first.push_back(utf8_of_latin1(line));
      part.labels.push_back(label);
    });
  }
  return part;
}

// "COARSE:fine question".
Part read_trec(const Source& source, const std::string& path) {
  Part part;
  read_latin1(path, [&](std::string_view line, std::string_view where) {
    const size_t colon = line.find(':'), space = line.find(' ');
    check(colon != std::string_view::npos && space != std::string_view::npos && colon < space,
          Status::kFormat, where, ": not of the form 'CLASS:subclass question'");
    part.labels.push_back(label_number(source, line.substr(0, colon), where));
    part.first.push_back(utf8_of_latin1(trimmed(line.substr(space))));
  });
  return part;
}

// A header, then Quality, #1 ID, #2 ID, #1 String, #2 String.
Part read_msr_paraphrase(const Source& source, const std::string& path) {
  Part part;
  bool header = true;
  read_tsv(path, 5, [&](const TsvRow& row) {
    const bool labelled =
        std::find(source.labels.begin(), source.labels.end(), row.fields[0]) != source.labels.end();
    check(!header || !labelled, Status::kFormat, row.where,
          ": an example, where the header (Quality, #1 ID, ...) is expected");
    if (!header) {
      part.labels.push_back(label_number(source, row.fields[0], row.where));
      part.first.emplace_back(row.fields[3]);
      part.second.emplace_back(row.fields[4]);
    }
    header = false;
  });
  check(!part.labels.empty(), Status::kFormat, path, ": no row below the header");
  return part;
}

// "sentence TAB label".
Part read_sst(const Source& source, const std::string& path) {
  Part part;
  read_tsv(path, 2, [&](const TsvRow& row) {
    part.labels.push_back(label_number(source, row.fields[1], row.where));
    part.first.emplace_back(row.fields[0]);
  });
  return part;
}

Names tsv_files(const Source& source) {
  const std::string task = source.task;
  switch (source.protocol) {
    case TransferProtocol::kNestedFolds: return {task + "/all.tsv"};
    case TransferProtocol::kFoldsOfTrain: return {task + "/train.tsv", task + "/test.tsv"};
    case TransferProtocol::kGivenDev:
      return {task + "/train.tsv", task + "/dev.tsv", task + "/test.tsv"};
  }
  return {};
}

}  // namespace

std::vector<std::string> transfer_task_names() {
  Names names;
  for (const Source& source : sources()) names.emplace_back(source.task);
  return names;
}

TransferData read_transfer(const std::string& folder, const std::string& task) {
  const auto found = std::find_if(sources().begin(), sources().end(),
                                  [&](const Source& s) { return task == s.task; });
  check(found != sources().end(), Status::kArgument,
        unknown_name("transfer task", task, transfer_task_names()));
  const Source& source = *found;
  const std::string at = folder + "/";
  const Names tsv = tsv_files(source);
  const bool plain = path_exists(at + tsv[0]);
  check(plain || path_exists(at + source.senteval[0]), Status::kNotFound, folder, ": of ", task,
        " neither ", tsv[0], " nor SentEval's ", source.senteval[0],
        " is in it; a task whose data is missing can be left out of 'tasks'");

  TransferData data{
      task, source.protocol, source.pairs, static_cast<int64_t>(source.labels.size()), {}, {}, {}};
  if (!plain && source.protocol == TransferProtocol::kNestedFolds) {
    data.train = read_of_classes(source, at);
    return data;
  }
  const auto read = [&](const std::string& name) {
    if (plain) return read_tsv_part(source, at + name);
    return source.pairs     ? read_msr_paraphrase(source, at + name)
           : task == "TREC" ? read_trec(source, at + name)
                            : read_sst(source, at + name);
  };
  const Names& files = plain ? tsv : source.senteval;
  data.train = read(files[0]);
  if (source.protocol != TransferProtocol::kNestedFolds) data.test = read(files.back());
  if (source.protocol == TransferProtocol::kGivenDev) data.dev = read(files[1]);
  return data;
}

}  // namespace contrastive::eval
