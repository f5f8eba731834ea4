// Client URL VECTORS: embeds two texts with LangChain4j's OpenAI client, alone and together, and
// compares them with the floats of a file.
import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.model.openai.OpenAiEmbeddingModel;
import dev.langchain4j.model.output.Response;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

public final class Client {
  private static void check(boolean ok, String what) {
    if (!ok) throw new AssertionError(what);
  }

  private static void near(float[] ours, ByteBuffer theirs, int row) {
    for (int i = 0; i < ours.length; i++) {
      float expected = theirs.getFloat(4 * (row * ours.length + i));
      check(
          Math.abs(ours[i] - expected) <= 2e-6f,
          "text " + row + ", dimension " + i + ": " + ours[i] + ", not " + expected);
    }
  }

  public static void main(String[] arguments) throws Exception {
    ByteBuffer vectors =
        ByteBuffer.wrap(Files.readAllBytes(Path.of(arguments[1]))).order(ByteOrder.LITTLE_ENDIAN);
    OpenAiEmbeddingModel model =
        OpenAiEmbeddingModel.builder()
            .baseUrl(arguments[0])
            .apiKey("any")
            .modelName("tiny")
            .maxRetries(0)
            .build();
    near(model.embed("A dog").content().vector(), vectors, 0);
    Response<List<Embedding>> both =
        model.embedAll(List.of(TextSegment.from("A dog"), TextSegment.from("the cat sat")));
    check(both.content().size() == 2, "two embeddings");
    for (int row = 0; row < 2; row++) near(both.content().get(row).vector(), vectors, row);
    check(both.tokenUsage().inputTokenCount() > 4, "tokens are counted");
    try {
      OpenAiEmbeddingModel.builder()
          .baseUrl(arguments[0])
          .apiKey("any")
          .modelName("tiny")
          .dimensions(1000)
          .maxRetries(0)
          .build()
          .embed("A dog");
      check(false, "1000 dimensions were given");
    } catch (InvalidRequestException refused) {
      check(
          refused.getMessage().contains("from 1 to 32"),
          "the server's own words: " + refused.getMessage());
    }
    System.out.println("LangChain4j: all as expected");
    System.exit(0); // its HTTP client keeps threads
  }
}
