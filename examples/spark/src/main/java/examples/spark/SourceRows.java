package examples.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.is_valid_utf8;
import static org.apache.spark.sql.functions.left;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sha2;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * The columns that are read from an input: ids, texts, and properties of a text's bytes that Spark
 * computes before they are decoded to a String.
 */
final class SourceRows {
  // Column indices in a row.
  static final int ID = 0;
  static final int TEXT = 1;
  static final int TEXT_HASH = 2;
  static final int IS_UTF8 = 3;

  private SourceRows() {}

  static Dataset<Row> of(Dataset<Row> input, String id, String text) {
    Column texts = col("text");
    return input
        .select(idColumn(input, id).as("id"), textColumn(input, text).as("text"))
        .select(
            col("id"),
            texts,
            left(sha2(texts.cast(DataTypes.BinaryType), 256), lit(32)).as("text_hash"),
            is_valid_utf8(texts).as("is_utf8"));
  }

  private static Column idColumn(Dataset<Row> input, String id) {
    DataType type = input.schema().apply(id).dataType();
    if (type.equals(DataTypes.StringType)) return col(id);
    if (type.equals(DataTypes.LongType)
        || type.equals(DataTypes.IntegerType)
        || type.equals(DataTypes.ShortType)) return col(id).cast(DataTypes.LongType);
    throw new IllegalArgumentException(
        "column " + id + " is " + type.sql() + ": an id is a whole number or a string, so cast it");
  }

  private static Column textColumn(Dataset<Row> input, String text) {
    DataType type = input.schema().apply(text).dataType();
    if (!type.equals(DataTypes.StringType))
      throw new IllegalArgumentException(
          "column " + text + " is " + type.sql() + ": a text is a string, so cast it");
    return col(text);
  }
}
