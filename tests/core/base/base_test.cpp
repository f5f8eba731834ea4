// The small parts of core/base: checked sizes, messages, nearest names, log, cancel.
#include <thread>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/checked.h"
#include "core/base/log.h"
#include "core/base/nearest.h"
#include "tests/expect_error.h"

namespace contrastive {
namespace {

TEST(Size, EveryOverflowIsAnErrorThatNamesTheQuantity) {
  EXPECT_EQ((Size(3, "rows") * 4 + 5).at_most(17).value(), 17);
  EXPECT_EQ(Size(INT64_MAX, "rows").bytes(), static_cast<size_t>(INT64_MAX));
  expect_error(Status::kLimit, "rows is negative: -1", [] { Size(-1, "rows"); });
  expect_error(Status::kLimit, "rows overflows: 4611686018427387904 x 2",
               [] { Size(int64_t{1} << 62, "rows") * 2; });
  expect_error(Status::kLimit, "rows overflows: 3 x -1", [] { Size(3, "rows") * -1; });
  expect_error(Status::kLimit, "rows overflows: 9223372036854775807 + 1",
               [] { Size(INT64_MAX, "rows") + 1; });
  expect_error(Status::kLimit, "rows overflows: 3 + -4", [] { Size(3, "rows") + -4; });
  expect_error(Status::kLimit, "rows is 18, above the limit of 17",
               [] { Size(18, "rows").at_most(17); });
}

TEST(Narrow, KeepsTheValueOrRefuses) {
  EXPECT_EQ(narrow<int32_t>(int64_t{-5}, "n"), -5);
  EXPECT_EQ(narrow<uint8_t>(255, "n"), 255);
  expect_error(Status::kLimit, "token count does not fit: 2147483648",
               [] { narrow<int32_t>(int64_t{1} << 31, "token count"); });
  expect_error(Status::kLimit, "n does not fit", [] { narrow<uint32_t>(-1, "n"); });
  expect_error(Status::kLimit, "n does not fit", [] { narrow<int64_t>(UINT64_MAX, "n"); });
  expect_error(Status::kLimit, "n does not fit", [] { narrow<uint8_t>(256, "n"); });
}

struct GermanNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Error, MessagesAreTheSameInEveryLocale) {
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new GermanNumbers));
  EXPECT_EQ(cat("n is ", 1234567, " and x ", 0.5), "n is 1234567 and x 0.5");
  std::locale::global(before);
  const Error error(Status::kIo, "disk");
  EXPECT_STREQ(error.what(), "disk");
  EXPECT_EQ(error.status(), Status::kIo);
}

TEST(Nearest, FindsTypingErrorsAndOnlyThose) {
  const std::vector<std::string> known = {"clsr", "consert", "clear", "sg_opt", "clsr.temperature"};
  EXPECT_EQ(nearest_name("clrs", known), "clsr");
  EXPECT_EQ(nearest_name("ConSERT", known), "consert");
  EXPECT_EQ(nearest_name("temperatur", known), "clsr.temperature");
  EXPECT_EQ(nearest_name("backpropagation", known), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 'x'), known), "");
  EXPECT_EQ(nearest_name("x", {}), "");
  const std::vector<std::string> keys = {
      "evaluate.tsne.learning_rate", "lr", "epochs", "mnrl.scale", "mnrl.max_length", "--top-k"};
  EXPECT_EQ(nearest_name("learning_rate", keys), "lr") << "what other libraries call it";
  EXPECT_EQ(nearest_name("num_train_epochs", keys), "epochs");
  EXPECT_EQ(nearest_name("temperature", keys), "mnrl.scale");
  EXPECT_EQ(nearest_name("mnrl.max_seq_length", keys), "mnrl.max_length");
  EXPECT_EQ(nearest_name("--top-n", keys), "--top-k");
  EXPECT_EQ(unknown_name("method", "clrs", {"clsr", "consert"}),
            "unknown method 'clrs'; did you mean 'clsr'? Known: clsr, consert");
  EXPECT_EQ(unknown_name("method", "backpropagation", {"clsr", "consert"}),
            "unknown method 'backpropagation'; known: clsr, consert");
}

TEST(Log, GoesToTheSinkFromItsLevelOn) {
  std::vector<std::string> lines;
  set_log_sink(
      [&](LogLevel level, const std::string& text) {
        lines.push_back(std::to_string(static_cast<int>(level)) + text);
      },
      LogLevel::kWarning);
  EXPECT_FALSE(log_enabled(LogLevel::kInfo));
  log_info("quiet");
  log_warning("loud ", 7);
  set_log_sink([](LogLevel, const std::string&) { throw 7; }, LogLevel::kDebug);
  EXPECT_NO_THROW(log_info("a sink that throws costs nobody a call"));
  set_log_sink({}, LogLevel::kDebug);
  EXPECT_FALSE(log_enabled(LogLevel::kWarning));
  log_warning("nobody listens");
  EXPECT_THAT(lines, testing::ElementsAre("2loud 7"));
}

TEST(Log, OneCallAtATime) {
  int inside = 0, most = 0, calls = 0;
  set_log_sink([&](LogLevel,
                   const std::string&) { most = std::max(most, ++inside), ++calls, --inside; },
               LogLevel::kInfo);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int n = 0; n < 500; ++n) log_info("line");
    });
  for (std::thread& thread : threads) thread.join();
  set_log_sink({}, LogLevel::kInfo);
  EXPECT_EQ(calls, 2000);
  EXPECT_EQ(most, 1);
}

TEST(Cancel, StaysRaised) {
  Cancel cancel;
  EXPECT_NO_THROW(throw_if_cancelled(&cancel));
  EXPECT_NO_THROW(throw_if_cancelled(nullptr));
  std::thread([&] { cancel.trigger(); }).join();
  EXPECT_TRUE(cancel.triggered());
  expect_error(Status::kCancelled, "cancelled", [&] { throw_if_cancelled(&cancel); });
}

}  // namespace
}  // namespace contrastive
