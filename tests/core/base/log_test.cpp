#include "core/base/log.h"

#include <gmock/gmock.h>

#include <thread>
#include <vector>

namespace contrastive {
namespace {

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

}  // namespace
}  // namespace contrastive
