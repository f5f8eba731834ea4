package examples.spark;

import java.io.IOException;
import java.io.Serializable;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.HadoopReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopInputFile;

/** A finished file of the output folder: its names, and what it says of itself. */
record PartFile(Map<String, String> metadata, long rows) implements Serializable {
  static final String REJECTED =
      "spark.rejected_rows"; // key: the number of rows without an embedding
  private static final long serialVersionUID = 1;

  static String name(int part, int parts) {
    return String.format(Locale.ROOT, "part-%05d-of-%05d.parquet", part, parts);
  }

  /**
   * The file with the ids of the rows without an embedding, and the reasons. Spark does not treat
   * it as data, because its name begins with an underscore.
   */
  static String rejectedName(int part, int parts) {
    return String.format(Locale.ROOT, "_rejected-%05d-of-%05d.jsonl", part, parts);
  }

  /**
   * Reads a whole file and verifies the checksums of its pages. Returns {@code null} if the file is
   * missing, truncated or damaged and must be written again.
   */
  static PartFile verified(Path file, Configuration configuration) throws IOException {
    if (!file.getFileSystem(configuration).exists(file)) return null;
    HadoopReadOptions.Builder options = HadoopReadOptions.builder(configuration);
    options.usePageChecksumVerification(true);
    try (ParquetFileReader reader =
        ParquetFileReader.open(HadoopInputFile.fromPath(file, configuration), options.build())) {
      for (PageReadStore group = reader.readNextRowGroup();
          group != null;
          group = reader.readNextRowGroup()) {
        for (ColumnDescriptor column : reader.getFileMetaData().getSchema().getColumns()) {
          PageReader pages = group.getPageReader(column);
          while (pages.readPage() != null) {}
        }
      }
      Map<String, String> metadata = new TreeMap<>(reader.getFileMetaData().getKeyValueMetaData());
      return metadata.containsKey(REJECTED)
          ? new PartFile(metadata, reader.getRecordCount())
          : null;
    } catch (RuntimeException e) { // thrown by Parquet for files that are not Parquet
      return null;
    } catch (IOException e) {
      if (!file.getFileSystem(configuration).exists(file)) return null;
      if (file.getFileSystem(configuration).getFileStatus(file).getLen() < 12)
        return null; // shorter than an empty Parquet file
      throw e;
    }
  }

  long rejected() {
    return Long.parseLong(metadata.get(REJECTED));
  }

  /**
   * The first key of the contract whose value differs from what a job would write; {@code null} if
   * there is none.
   */
  String disagreement(Map<String, String> expected) {
    for (Map.Entry<String, String> entry : expected.entrySet()) {
      String here = metadata.get(entry.getKey());
      if (!entry.getValue().equals(here))
        return entry.getKey() + " is " + here + " in it and " + entry.getValue() + " in this job";
    }
    return null;
  }
}
