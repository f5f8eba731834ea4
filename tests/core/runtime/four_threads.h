// The thread pool with four threads, for tests in several files.
#pragma once

#include <gtest/gtest.h>

#include "core/runtime/threads.h"

namespace contrastive::runtime {

class ThreadPool : public testing::Test {
 protected:
  void SetUp() override { set_threads(4); }
};

}  // namespace contrastive::runtime
