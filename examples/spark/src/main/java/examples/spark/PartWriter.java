package examples.spark;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.util.HadoopOutputFile;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;

/**
 * Writes one part of the output. It writes to a temporary name that Spark and Hive ignore, and
 * renames the complete file. A task that dies leaves no part. Two attempts at one part leave one
 * part, because both write the same rows.
 */
final class PartWriter {
  private static final long ROW_GROUP_BYTES = 16L << 20; // of its file that a task keeps in memory

  private final Configuration configuration;
  private final Path folder;
  private final Map<String, String> metadata;
  private final boolean numbers;
  private final ObjectMapper json = new ObjectMapper();

  /**
   * @param numbers whether ids are whole numbers; otherwise they are strings
   */
  PartWriter(
      Configuration configuration, Path folder, Map<String, String> metadata, boolean numbers) {
    this.configuration = configuration;
    this.folder = folder;
    this.metadata = metadata;
    this.numbers = numbers;
  }

  /** Writes the rows, which are sorted by id: of several with one id the first is kept. */
  PartFile write(int part, int parts, Iterator<EncodedText> rows) throws IOException {
    String attempt = "." + UUID.randomUUID();
    Path data = new Path(folder, "." + PartFile.name(part, parts) + attempt);
    Path rejections = new Path(folder, "." + PartFile.rejectedName(part, parts) + attempt);
    FileContext files = FileContext.getFileContext(folder.toUri(), configuration);
    try {
      Columns columns = new Columns(metadata, numbers);
      try (ParquetWriter<EncodedText> out =
              new Builder(HadoopOutputFile.fromPath(data, configuration), columns)
                  .withConf(configuration)
                  .withCompressionCodec(
                      CompressionCodecName
                          .UNCOMPRESSED) // floats of embeddings do not compress well
                  .withDictionaryEncoding(false)
                  .withRowGroupSize(ROW_GROUP_BYTES)
                  .build();
          OutputStream rejected =
              files.create(
                  rejections, EnumSet.of(CreateFlag.CREATE), Options.CreateOpts.createParent())) {
        Object last = null;
        while (rows.hasNext()) {
          EncodedText row = rows.next();
          String error =
              row.id() == null
                  ? "the id is null"
                  : row.id().equals(last) ? "a row that was written has the same id" : row.error();
          if (error == null) {
            last = row.id();
            out.write(row);
            columns.rows++;
          } else {
            rejected.write(line(row, error));
            columns.rejected++;
          }
        }
      }
      Path rejectedFile = new Path(folder, PartFile.rejectedName(part, parts));
      if (columns.rejected > 0) files.rename(rejections, rejectedFile, Options.Rename.OVERWRITE);
      else files.delete(rejectedFile, false);
      files.rename(
          data,
          new Path(folder, PartFile.name(part, parts)),
          Options.Rename.OVERWRITE); // publishes the part
      return new PartFile(columns.all(), columns.rows);
    } finally {
      files.delete(data, false);
      files.delete(rejections, false);
    }
  }

  private byte[] line(EncodedText row, String error) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("id", row.id());
    fields.put("text_hash", row.textHash());
    fields.put("error", error);
    return (json.writeValueAsString(fields) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static final class Builder extends ParquetWriter.Builder<EncodedText, Builder> {
    private final Columns columns;

    Builder(OutputFile file, Columns columns) {
      super(file);
      this.columns = columns;
    }

    @Override
    protected Builder self() {
      return this;
    }

    @Override
    @SuppressWarnings("deprecation") // the old method must be implemented
    protected WriteSupport<EncodedText> getWriteSupport(Configuration configuration) {
      return columns;
    }
  }

  /**
   * The columns of the output contract, and the metadata, which is complete when the last row is
   * written.
   */
  private static final class Columns extends WriteSupport<EncodedText> {
    private final Map<String, String> metadata;
    private final boolean numbers;
    private RecordConsumer out;
    long rows;
    long rejected;

    Columns(Map<String, String> metadata, boolean numbers) {
      this.metadata = metadata;
      this.numbers = numbers;
    }

    Map<String, String> all() {
      Map<String, String> keys = new HashMap<>(metadata);
      keys.put(PartFile.REJECTED, String.valueOf(rejected));
      return keys;
    }

    @Override
    @SuppressWarnings("deprecation")
    public WriteContext init(Configuration configuration) {
      return new WriteContext(schema(), Map.of());
    }

    private MessageType schema() {
      var message = Types.buildMessage();
      if (numbers) message.required(PrimitiveTypeName.INT64).named("id");
      else
        message
            .required(PrimitiveTypeName.BINARY)
            .as(LogicalTypeAnnotation.stringType())
            .named("id");
      return message
          .required(PrimitiveTypeName.BINARY)
          .as(LogicalTypeAnnotation.stringType())
          .named("text_hash")
          .requiredList()
          .requiredElement(PrimitiveTypeName.FLOAT)
          .named("embedding")
          .required(PrimitiveTypeName.INT32)
          .named("n_tokens")
          .required(PrimitiveTypeName.BOOLEAN)
          .named("truncated")
          .named("embeddings");
    }

    @Override
    public void prepareForWrite(RecordConsumer consumer) {
      out = consumer;
    }

    @Override
    public void write(EncodedText row) {
      out.startMessage();
      out.startField("id", 0);
      if (numbers) out.addLong((Long) row.id());
      else out.addBinary(Binary.fromString((String) row.id()));
      out.endField("id", 0);
      out.startField("text_hash", 1);
      out.addBinary(Binary.fromString(row.textHash()));
      out.endField("text_hash", 1);
      writeEmbedding(row.embedding());
      out.startField("n_tokens", 3);
      out.addInteger(row.tokens());
      out.endField("n_tokens", 3);
      out.startField("truncated", 4);
      out.addBoolean(row.truncated());
      out.endField("truncated", 4);
      out.endMessage();
    }

    private void writeEmbedding(float[] embedding) {
      out.startField("embedding", 2);
      out.startGroup();
      out.startField("list", 0);
      for (float number : embedding) {
        out.startGroup();
        out.startField("element", 0);
        out.addFloat(number);
        out.endField("element", 0);
        out.endGroup();
      }
      out.endField("list", 0);
      out.endGroup();
      out.endField("embedding", 2);
    }

    @Override
    public FinalizedWriteContext finalizeWrite() {
      return new FinalizedWriteContext(all());
    }
  }
}
