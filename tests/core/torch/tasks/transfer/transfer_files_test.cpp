#include "core/torch/tasks/transfer/transfer_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using Texts = std::vector<std::string>;
using Labels = std::vector<int64_t>;

// Files below a temporary folder, in folders that are made as needed.
class TransferTree : public TemporaryFolder {
 public:
  TransferTree(std::initializer_list<std::pair<const char*, std::string>> files) {
    for (const auto& [name, bytes] : files) {
      std::filesystem::create_directories(std::filesystem::path(path() + "/" + name).parent_path());
      write(name, bytes);
    }
  }
};

TEST(TransferFiles, SentEvalsTwoFilesOfSentences) {
  const TransferTree tree{{"MR/rt-polarity.pos", "good \nna\xEFve , caf\xE9 \x85\r\n\n"},
                          {"MR/rt-polarity.neg", "bad\tly\n"},
                          {"CR/custrev.pos", "p\n"},
                          {"CR/custrev.neg", "n1\nn2"},
                          {"SUBJ/subj.objective", "fact\n"},
                          {"SUBJ/subj.subjective", "view\n"},
                          {"MPQA/mpqa.pos", "p\n"},
                          {"MPQA/mpqa.neg", "n\n"}};
  const TransferData mr = read_transfer(tree.path(), "MR");
  EXPECT_EQ(mr.protocol, TransferProtocol::kNestedFolds);
  EXPECT_EQ(mr.classes, 2);
  EXPECT_EQ(mr.train.first, (Texts{"good", "na\xC3\xAFve , caf\xC3\xA9 \xC2\x85", "bad\tly"}));
  EXPECT_EQ(mr.train.labels, (Labels{1, 1, 0}));
  EXPECT_TRUE(mr.train.second.empty() && mr.test.labels.empty() && mr.dev.labels.empty());
  EXPECT_EQ(read_transfer(tree.path(), "CR").train.first, (Texts{"p", "n1", "n2"}));
  EXPECT_EQ(read_transfer(tree.path(), "CR").train.labels, (Labels{1, 0, 0}));
  const TransferData subj = read_transfer(tree.path(), "SUBJ");
  EXPECT_EQ(subj.train.first, (Texts{"fact", "view"}));
  EXPECT_EQ(subj.train.labels, (Labels{1, 0}));
  EXPECT_EQ(read_transfer(tree.path(), "MPQA").train.labels, (Labels{1, 0}));
}

TEST(TransferFiles, SentEvalsSst) {
  const TransferTree tree{{"SST/binary/sentiment-train", "a fine \xC3\xA9t\xC3\xA9\t1\nb\t0\n"},
                          {"SST/binary/sentiment-dev", "c\t1\n"},
                          {"SST/binary/sentiment-test", "d\t0\n"},
                          {"SST/fine/sentiment-train", "a\t4\n"},
                          {"SST/fine/sentiment-dev", "b\t0\n"},
                          {"SST/fine/sentiment-test", "c\t2\nd\t5\n"}};
  const TransferData sst2 = read_transfer(tree.path(), "SST2");
  EXPECT_EQ(sst2.protocol, TransferProtocol::kGivenDev);
  EXPECT_EQ(sst2.train.first, (Texts{"a fine \xC3\xA9t\xC3\xA9", "b"}));
  EXPECT_EQ(sst2.train.labels, (Labels{1, 0}));
  EXPECT_EQ(sst2.dev.first, (Texts{"c"}));
  EXPECT_EQ(sst2.test.labels, (Labels{0}));
  expect_error(Status::kFormat, "sentiment-test:2: label '5' of SST5 is not one of 0, 1, 2, 3, 4",
               [&] { read_transfer(tree.path(), "SST5"); });
}

TEST(TransferFiles, SentEvalsTrec) {
  const TransferTree tree{
      {"TREC/train_5500.label",
       "DESC:manner How did it : go ?\nNUM:date When ?\nENTY:food Cr\xE8me ?\n"},
      {"TREC/TREC_10.label", "ABBR:exp X\n"}};
  const TransferData trec = read_transfer(tree.path(), "TREC");
  EXPECT_EQ(trec.protocol, TransferProtocol::kFoldsOfTrain);
  EXPECT_EQ(trec.classes, 6);
  EXPECT_EQ(trec.train.first, (Texts{"How did it : go ?", "When ?", "Cr\xC3\xA8me ?"}));
  EXPECT_EQ(trec.train.labels, (Labels{1, 5, 2}));
  EXPECT_EQ(trec.test.labels, (Labels{0}));
  const auto read = [](const std::string& bytes) {
    const TransferTree bad{{"TREC/train_5500.label", "HUM:ind Who ?\n" + bytes},
                           {"TREC/TREC_10.label", "ABBR:exp X\n"}};
    read_transfer(bad.path(), "TREC");
  };
  expect_error(
      Status::kFormat,
      "train_5500.label:2: label 'WHO' of TREC is not one of ABBR, DESC, ENTY, HUM, LOC, NUM",
      [&] { read("WHO:ind Who ?\n"); });
  for (const char* line : {"no colon\n", "HUM:ind\n", "who HUM:ind\n"}) {
    SCOPED_TRACE(line);
    expect_error(Status::kFormat, "train_5500.label:2: not of the form", [&] { read(line); });
  }
  expect_error(Status::kFormat, "train_5500.label:2: not of the form", [&] { read("x\n"); });
}

TEST(TransferFiles, SentEvalsMrpc) {
  const std::string header = "\xEF\xBB\xBFQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n";
  const TransferTree tree{{"MRPC/msr_paraphrase_train.txt",
                           header + "1\t7\t8\tA \"quoted\" one\tB\r\n0\t9\t10\tC\tD\r\n"},
                          {"MRPC/msr_paraphrase_test.txt", header + "1\t1\t2\tE\tF\r\n"}};
  const TransferData mrpc = read_transfer(tree.path(), "MRPC");
  EXPECT_TRUE(mrpc.pairs);
  EXPECT_EQ(mrpc.train.first, (Texts{"A \"quoted\" one", "C"}));
  EXPECT_EQ(mrpc.train.second, (Texts{"B", "D"}));
  EXPECT_EQ(mrpc.train.labels, (Labels{1, 0}));
  EXPECT_EQ(mrpc.test.second, (Texts{"F"}));
  const TransferTree bad{{"MRPC/msr_paraphrase_train.txt", header + "1\t7\t8\tA\n"},
                         {"MRPC/msr_paraphrase_test.txt", header}};
  expect_error(Status::kFormat, "msr_paraphrase_train.txt:2: 4 tab separated columns, expected 5",
               [&] { read_transfer(bad.path(), "MRPC"); });
  const TransferTree empty{{"MRPC/msr_paraphrase_train.txt", header},
                           {"MRPC/msr_paraphrase_test.txt", header}};
  expect_error(Status::kFormat, "no row below the header",
               [&] { read_transfer(empty.path(), "MRPC"); });
  const TransferTree headless{{"MRPC/msr_paraphrase_train.txt", "1\t70\t71\ta\tb\n"},
                              {"MRPC/msr_paraphrase_test.txt", header}};
  expect_error(Status::kFormat, "train.txt:1: an example, where the header",
               [&] { read_transfer(headless.path(), "MRPC"); });
}

TEST(TransferFiles, PlainTsv) {
  const TransferTree tree{{"MR/all.tsv", "1\tgood \xC3\xA9\n0\tbad\n"},
                          {"MR/rt-polarity.pos", "not read\n"},
                          {"SST5/train.tsv", "3\ta\n"},
                          {"SST5/dev.tsv", "0\tb\n"},
                          {"SST5/test.tsv", "4\tc\n"},
                          {"TREC/train.tsv", "NUM\tHow many ?\n"},
                          {"TREC/test.tsv", "LOC\tWhere ?\n"},
                          {"MRPC/train.tsv", "1\ta\tb\n"},
                          {"MRPC/test.tsv", "0\tc\td\n1\te\tf\n"}};
  EXPECT_EQ(read_transfer(tree.path(), "MR").train.first, (Texts{"good \xC3\xA9", "bad"}))
      << "TSV has priority, and is UTF-8";
  const TransferData sst5 = read_transfer(tree.path(), "SST5");
  EXPECT_EQ(sst5.train.labels, (Labels{3}));
  EXPECT_EQ(sst5.dev.first, (Texts{"b"}));
  EXPECT_EQ(sst5.test.labels, (Labels{4}));
  EXPECT_EQ(read_transfer(tree.path(), "TREC").test.labels, (Labels{4}));
  EXPECT_EQ(read_transfer(tree.path(), "MRPC").test.second, (Texts{"d", "f"}));
}

TEST(TransferFiles, ErrorsNameFileAndLine) {
  const TransferTree tree{{"MR/all.tsv", "1\tgood\npositive\tgood\n"},
                          {"SUBJ/all.tsv", "1\tx\n1\tx\ty\n"},
                          {"MRPC/train.tsv", "1\ta\n"},
                          {"TREC/train.tsv", "NUM\tx\n"},
                          {"CR/custrev.pos", " \n\n"},
                          {"CR/custrev.neg", "n\n"}};
  expect_error(Status::kFormat, "MR/all.tsv:2: label 'positive' of MR is not one of 0, 1",
               [&] { read_transfer(tree.path(), "MR"); });
  expect_error(Status::kFormat, "SUBJ/all.tsv:2: 3 tab separated columns, expected 2",
               [&] { read_transfer(tree.path(), "SUBJ"); });
  expect_error(Status::kFormat, "MRPC/train.tsv:1: 2 tab separated columns, expected 3",
               [&] { read_transfer(tree.path(), "MRPC"); });
  expect_error(Status::kFormat, "custrev.pos: no line in it",
               [&] { read_transfer(tree.path(), "CR"); });
  expect_error(Status::kNotFound, "TREC/test.tsv", [&] { read_transfer(tree.path(), "TREC"); });
  expect_error(Status::kNotFound, "neither MPQA/all.tsv nor SentEval's MPQA/mpqa.pos",
               [&] { read_transfer(tree.path(), "MPQA"); });
  expect_error(Status::kArgument, "MPQA, SST2", [&] { read_transfer(tree.path(), "SUBJECT"); });
}

}  // namespace
}  // namespace contrastive::eval
