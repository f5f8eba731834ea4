package examples.spark;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The folder that a job writes: what is there already, and the sign that it is complete. */
final class OutputFolder {
  private static final String SUCCESS = "_SUCCESS"; // Spark's own marker

  final Path path;
  final Configuration configuration;
  private final FileSystem files;

  OutputFolder(String folder, Configuration hadoop) throws IOException {
    configuration = new Configuration(hadoop);
    // Disable Hadoop's checksum files for local files: a file and its checksum cannot be renamed in
    // one step, and Parquet has its own checksums.
    configuration.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
    configuration.set("fs.AbstractFileSystem.file.impl", "org.apache.hadoop.fs.local.RawLocalFs");
    configuration.setBoolean("fs.file.impl.disable.cache", true);
    configuration.setBoolean("parquet.page.write-checksum.enabled", true);
    Path given = new Path(folder);
    files = given.getFileSystem(configuration);
    path = files.makeQualified(given); // executors have different working directories
    files.mkdirs(path);
  }

  /** Refuses a folder that was divided in another way: its rows would be there twice. */
  void checkDivision(int parts) throws IOException {
    for (FileStatus file : files.listStatus(path)) {
      String name = file.getPath().getName();
      if (name.startsWith("part-") && !isPart(name, parts)) {
        throw new IllegalStateException(
            path
                + " holds "
                + name
                + ", which is not one of "
                + parts
                + " parts: use as many parts as before, or another folder");
      }
    }
  }

  private static boolean isPart(String name, int parts) {
    for (int part = 0; part < parts; part++)
      if (name.equals(PartFile.name(part, parts))) return true;
    return false;
  }

  /** The numbers of the parts whose files are there, whatever they hold. */
  List<Integer> existing(int parts) throws IOException {
    List<Integer> existing = new ArrayList<>();
    for (int part = 0; part < parts; part++)
      if (files.exists(new Path(path, PartFile.name(part, parts)))) existing.add(part);
    return existing;
  }

  /** Refuses a folder with embeddings of another model, other options or another corpus. */
  void checkAgreement(Map<Integer, PartFile> finished, Map<String, String> expected, int parts) {
    finished.forEach(
        (part, file) -> {
          String disagreement = file.disagreement(expected);
          if (disagreement == null) return;
          throw new IllegalStateException(
              new Path(path, PartFile.name(part, parts))
                  + " is of another job: "
                  + disagreement
                  + ". Write to another folder, or remove this one");
        });
  }

  void begin() throws IOException {
    files.delete(new Path(path, SUCCESS), false);
  }

  /** Removes what killed tasks left, and sets the sign. */
  void finish() throws IOException {
    try {
      for (FileStatus file : files.listStatus(path)) {
        String name = file.getPath().getName();
        if (name.startsWith(".part-") || name.startsWith("._rejected-"))
          files.delete(file.getPath(), false);
      }
    } catch (FileNotFoundException e) {
      // Another attempt of the task may remove its own file at the same time.
    }
    files.create(new Path(path, SUCCESS), true).close();
  }
}
