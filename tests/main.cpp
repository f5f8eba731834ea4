// The main function of every GoogleTest program. If all of its tests were skipped (no data, no
// encoder, no GPU), it returns kAllSkipped, which ctest shows as Skipped. If a test failed, the
// program fails, even if others were skipped.
#include <gtest/gtest.h>

namespace {

constexpr int kAllSkipped = 77;  // tests/CMakeLists.txt: SKIP_RETURN_CODE

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  const bool none_ran =
      tests.skipped_test_count() > 0 && tests.skipped_test_count() == tests.test_to_run_count();
  return failed == 0 && none_ran ? kAllSkipped : failed;
}
