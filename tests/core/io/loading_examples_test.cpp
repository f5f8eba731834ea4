#include "core/io/loading_examples.h"

#include <gmock/gmock.h>

namespace contrastive::io {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(LoadingExamples, HaveTheWidthOfTheModel) {
  const std::string text = loading_examples(384);
  EXPECT_THAT(text, HasSubstr("vectors[2 * 384]"));
  EXPECT_THAT(text, HasSubstr("vectors + 384, 1, 384,"));
  EXPECT_THAT(text, Not(HasSubstr("@")));
  for (const char* language :
       {"```python", "```bash", "```c\n", "```java", "```csharp", "```go", "```rust"})
    EXPECT_THAT(text, HasSubstr(language));
}

TEST(LoadingExamples, OfARerankerScorePairs) {
  EXPECT_THAT(reranker_examples(), HasSubstr("CrossEncoder("));
  EXPECT_THAT(reranker_examples(), HasSubstr("contrastive rerank"));
  EXPECT_THAT(reranker_examples(), Not(HasSubstr("encode(")));
}

}  // namespace
}  // namespace contrastive::io
