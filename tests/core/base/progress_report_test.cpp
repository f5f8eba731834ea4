#include "core/base/progress_report.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/base/log.h"
#include "tests/expect_error.h"

namespace contrastive {
namespace {

struct Heard {
  std::string what;
  int64_t done, total;
};

class Progress : public testing::Test {
 protected:
  Progress() {
    cancel.set_listener([this](const char* what, int64_t done, int64_t total) {
      heard.push_back({what, done, total});
      if (trigger) cancel.trigger();
    });
  }

  Cancel cancel;
  std::vector<Heard> heard;
  bool trigger = false;
};

TEST_F(Progress, IsHeardOnceAtTheEnd) {
  ProgressReport report(&cancel, 5, "texts encoded");
  for (int64_t i = 1; i <= 5; ++i) report.at(i);
  report.at(5);
  ASSERT_FALSE(heard.empty());
  EXPECT_LE(heard.size(), 5u);
  EXPECT_EQ(heard.back().what, "texts encoded");
  EXPECT_EQ(heard.back().done, 5);
  EXPECT_EQ(heard.back().total, 5);
}

TEST_F(Progress, IsHeardDuringTheWork) {
  ProgressReport report(&cancel, 0, "lines read");
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    report.add(10);
  }
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[1].done, 20);
  EXPECT_EQ(heard[1].total, 0);
  report.end();
  ASSERT_EQ(heard.size(), 4u);
  EXPECT_EQ(heard[3].done, 30);
}

TEST_F(Progress, OtherThreadsAddAndOnlyTheOwnerTells) {
  ProgressReport report(&cancel, 8, "items");
  std::thread other([&] { report.add(8); });
  other.join();
  EXPECT_TRUE(heard.empty());
  report.at(8);
  EXPECT_EQ(heard.size(), 1u);
}

TEST_F(Progress, NoThreadLosesWhatAnotherAdds) {
  constexpr int64_t kEach = 20000;
  ProgressReport report(&cancel, 2 * kEach, "items");
  std::thread other([&] {
    for (int64_t i = 0; i < kEach; ++i) report.add(1);
  });
  for (int64_t i = 0; i < kEach; ++i) report.add(1);
  other.join();
  report.end();
  ASSERT_FALSE(heard.empty());
  EXPECT_EQ(heard.back().done, 2 * kEach);
}

TEST_F(Progress, InnerReportsAreSilent) {
  ProgressReport outer(&cancel, 2, "documents embedded");
  {
    ProgressReport inner(&cancel, 1, "texts encoded");
    inner.at(1);
  }
  EXPECT_TRUE(heard.empty());
  outer.at(2);
  EXPECT_EQ(heard.size(), 1u);
}

TEST_F(Progress, AListenerThatTriggersTheFlagEndsTheWork) {
  trigger = true;
  ProgressReport report(&cancel, 1, "texts encoded");
  expect_error(Status::kCancelled, "cancelled", [&] { report.at(1); });
}

TEST_F(Progress, WithoutAListenerNothingHappens) {
  cancel.set_listener({});
  ProgressReport report(&cancel, 1, "texts encoded");
  EXPECT_NO_THROW(report.at(1));
  EXPECT_TRUE(heard.empty());
  ProgressReport none(nullptr, 1, "texts encoded");
  EXPECT_NO_THROW(none.at(1));
}

TEST_F(Progress, IsLoggedUnderItsName) {
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel, const std::string& line) { lines.push_back(line); }, LogLevel::kInfo);
  {
    ProgressReport report(nullptr, 3, "documents embedded", "mining");
    report.at(1);
    report.at(3);
  }
  set_log_sink({}, LogLevel::kInfo);
  EXPECT_EQ(lines, std::vector<std::string>{"mining: 3 of 3 documents embedded"});
}

}  // namespace
}  // namespace contrastive
