#include "core/torch/tasks/glue/glue_definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

using ::testing::ElementsAre;

TEST(GlueDefinition, NineTasksOfWhichEightAreAveraged) {
  EXPECT_THAT(glue_task_names(),
              ElementsAre("MNLI", "QNLI", "QQP", "RTE", "SST-2", "MRPC", "CoLA", "STS-B", "WNLI"));
  for (const GlueDefinition& definition : glue_definitions()) {
    EXPECT_EQ(definition.averaged, definition.name != "WNLI") << definition.name;
    EXPECT_EQ(definition.pairs(), definition.name != "CoLA" && definition.name != "SST-2")
        << definition.name;
    EXPECT_EQ(definition.outputs(), definition.name == "MNLI"    ? 3
                                    : definition.name == "STS-B" ? 1
                                                                 : 2)
        << definition.name;
    EXPECT_EQ(definition.regression(), definition.name == "STS-B") << definition.name;
    EXPECT_EQ(definition.dev_names.size(), definition.name == "MNLI" ? 2u : 1u) << definition.name;
  }
}

TEST(GlueDefinition, AnUnknownTaskIsNamedWithItsNearest) {
  expect_error(Status::kArgument, "'CoLA'", [] { find_glue_definition("Cola"); });
}

}  // namespace
}  // namespace contrastive::eval
