#include "core/io/loading_examples.h"

namespace contrastive::io {
namespace {

// tests/program/card_test.sh runs the examples for the shell, C and sentence-transformers, and
// checks that the other lines are those of the READMEs.
constexpr const char* kExamples = R"(
[sentence-transformers](https://www.sbert.net):

```python
from sentence_transformers import SentenceTransformer

model = SentenceTransformer("path/to/this/folder")
embeddings = model.encode(["A man is eating food.", "Someone has a meal."])
print(model.similarity(embeddings, embeddings))
```

libcontrastive, from a shell:

```bash
contrastive inspect --model path/to/this/folder
printf '%s\n' "A man is eating food." "Someone has a meal." >texts.txt
contrastive encode --model path/to/this/folder --input texts.txt --output vectors.npy
contrastive search --model path/to/this/folder --corpus texts.txt --top-k 1 "eating"
```

C:

```c
#include <contrastive/contrastive.h>
#include <stdio.h>

int main(void) {
  cs_error *error = NULL;
  cs_model *model = cs_model_load("path/to/this/folder", NULL, &error);
  const char *texts[2] = {"A man is eating food.", "Someone has a meal."};
  float vectors[2 * @], score;
  if (model && cs_encode(model, texts, NULL, 2, NULL, vectors, 2 * @, &error) == CS_OK &&
      cs_similarity(vectors, 1, vectors + @, 1, @, CS_METRIC_COSINE, &score, 1, &error) == CS_OK)
    printf("%.3f\n", score);
  else
    fprintf(stderr, "%s\n", cs_error_message(error));
  cs_error_free(error);
  cs_model_free(model);
}
```

Java:

```java
try (SentenceEncoder encoder = SentenceEncoder.load(Path.of("path/to/this/folder"))) {
  float[][] vectors = encoder.encode(List.of("A man is eating food.", "Someone has a meal."));
  System.out.println(Similarity.cosine(vectors[0], vectors[1]));
}
```

C#:

```csharp
using var encoder = SentenceEncoder.Load("path/to/this/folder");
Embeddings vectors = encoder.Encode(new[] { "A man is eating food.", "Someone has a meal." });
Console.WriteLine(Similarity.Score(vectors[0].Span, vectors[1].Span));
```

Go:

```go
model, err := contrastive.Load("path/to/this/folder")
defer model.Close()
vectors, err := model.Encode(ctx, []string{"A man is eating food.", "Someone has a meal."})
score, err := contrastive.Score(vectors.Row(0), vectors.Row(1), contrastive.Cosine)
```

Rust:

```rust
let model = Model::load("path/to/this/folder")?;
let vectors = model.encode(&["A man is eating food.", "Someone has a meal."])?;
println!("{:.3}", score(vectors.row(0), vectors.row(1), Metric::Cosine)?);
```
)";

constexpr const char* kRerankerExamples = R"(
[sentence-transformers](https://www.sbert.net):

```python
from sentence_transformers import CrossEncoder

model = CrossEncoder("path/to/this/folder")
print(model.predict([("who eats?", "A man is eating food."), ("who eats?", "The sun is up.")]))
```

libcontrastive, from a shell:

```bash
contrastive rerank --model path/to/this/folder --query "who eats?" "A man is eating food." "The sun is up."
```

Java, C#, Go and Rust have a `Reranker`, and C has `cs_model_load` and `cs_rerank`.
)";

}  // namespace

std::string loading_examples(int64_t dimension) {
  std::string text;
  for (const char* at = kExamples; *at != '\0'; ++at) {
    if (*at == '@') text += std::to_string(dimension);
    else text += *at;
  }
  return text;
}

std::string reranker_examples() { return kRerankerExamples; }

}  // namespace contrastive::io
