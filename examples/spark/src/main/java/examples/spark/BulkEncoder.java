package examples.spark;

import java.util.Iterator;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.collection.mutable.ArraySeq;

/**
 * Embeds the texts of a Spark dataset. To get the folder of this example: {@code hf download
 * sentence-transformers/all-MiniLM-L6-v2 --local-dir /models/all-MiniLM-L6-v2}.
 *
 * <pre>{@code
 * EncodeSettings settings = EncodeSettings.of("/models/all-MiniLM-L6-v2");
 * Dataset<Row> vectors = texts.transform(BulkEncoder.with(settings)::encode);
 * }</pre>
 *
 * <p>It runs in the executors and streams rows, so a partition of any size needs only the memory of
 * one window.
 */
public final class BulkEncoder {
  private final EncodeSettings settings;
  private final String id;
  private final String text;

  private BulkEncoder(EncodeSettings settings, String id, String text) {
    this.settings = settings;
    this.id = id;
    this.text = text;
  }

  /** Reads the columns "id" and "text". */
  public static BulkEncoder with(EncodeSettings settings) {
    return new BulkEncoder(settings, "id", "text");
  }

  /** Reads the columns of these names: a whole number or a string, and a string. */
  public BulkEncoder columns(String id, String text) {
    return new BulkEncoder(settings, id, text);
  }

  /**
   * The columns of the output contract, and "error": the reason why a row has no embedding,
   * otherwise null. A row with an error has neither an embedding nor counts.
   *
   * @throws IllegalArgumentException a column is missing, or of another type
   */
  public Dataset<Row> encode(Dataset<Row> input) {
    Dataset<Row> source = SourceRows.of(input, id, text);
    EncodeSettings travelling = settings; // the closure captures only this
    return source.mapPartitions(
        (MapPartitionsFunction<Row, Row>) rows -> new Rows(new EncodedTexts(travelling, rows)),
        Encoders.row(schema(source.schema().apply("id").dataType())));
  }

  private static StructType schema(DataType id) {
    return new StructType()
        .add("id", id, true)
        .add("text_hash", DataTypes.StringType, true)
        .add("embedding", DataTypes.createArrayType(DataTypes.FloatType, false), true)
        .add("n_tokens", DataTypes.IntegerType, true)
        .add("truncated", DataTypes.BooleanType, true)
        .add("error", DataTypes.StringType, true);
  }

  private record Rows(EncodedTexts texts) implements Iterator<Row> {
    @Override
    public boolean hasNext() {
      return texts.hasNext();
    }

    @Override
    public Row next() {
      EncodedText row = texts.next();
      if (row.error() != null)
        return RowFactory.create(row.id(), row.textHash(), null, null, null, row.error());
      return RowFactory.create(
          row.id(),
          row.textHash(),
          new ArraySeq.ofFloat(row.embedding()),
          row.tokens(),
          row.truncated(),
          null);
    }
  }
}
