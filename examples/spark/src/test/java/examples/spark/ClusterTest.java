package examples.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A master and two workers, each a process of its own, and the jar submitted to them: what is
 * killed here is killed with -9.
 */
class ClusterTest {
  private static final int ROWS = 1600;
  private static final int NULLS = 8;
  private static final int PARTS = 24;
  private static final Path SPARK =
      Path.of(System.getProperty("contrastive.fixtures"), "../../examples/spark/spark.sh")
          .normalize();
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final String BRIEF =
      "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"; // for short-lived processes

  @TempDir Path folder;
  private final List<Process> cluster = new ArrayList<>();
  private final List<Process> workers = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();
  private String master;
  private Path input;
  private Path output;

  @BeforeEach
  void start() throws Exception {
    texts.addAll(Sentences.some(ROWS, 24));
    for (int i = 0; i < ROWS; i += ROWS / NULLS) texts.set(i, null);
    input = folder.resolve("texts");
    output = folder.resolve("embeddings");
    SparkSession spark = Sentences.localSpark();
    Sentences.dataset(spark, texts).repartition(4).write().parquet(input.toString());
    spark.stop();

    cluster.add(
        spark(
            "master",
            "org.apache.spark.deploy.master.Master",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--webui-port",
            "0"));
    master = waitFor("master", "Starting Spark master at (spark://\\S+)");
    for (String name : List.of("worker-0", "worker-1")) {
      Process worker =
          spark(
              name,
              "org.apache.spark.deploy.worker.Worker",
              "--host",
              "127.0.0.1",
              "--webui-port",
              "0",
              "--cores",
              "1",
              "--memory",
              "1g",
              "--work-dir",
              folder.resolve(name).toString(),
              master);
      cluster.add(worker);
      workers.add(worker);
      waitFor(name, "(Successfully registered) with master");
    }
  }

  @AfterEach
  void stop() throws Exception {
    for (Process process : cluster) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void whoIsKilledLosesNothingAndDoublesNothing() throws Exception {
    Process driver = submit("first");
    await(driver, "first", () -> finished() >= 3);
    List<ProcessHandle> executors = executors();
    assertEquals(2, executors.size(), "executors");
    int before = finished();
    assertTrue(executors.get(0).destroyForcibly());
    assertTrue(
        before < PARTS - 2, "the executor was killed too late: " + before + " parts were written");
    await(driver, "first", () -> !driver.isAlive());
    assertEquals(0, driver.exitValue(), log("first"));
    String summary =
        ROWS
            - NULLS
            + " rows embedded and "
            + NULLS
            + " rejected in "
            + PARTS
            + " parts, of which 0 were there and "
            + PARTS
            + " were written";
    assertTrue(log("first").contains(summary), log("first"));
    assertTrue(log("first").contains("Lost executor"), log("first"));
    checkOutput();

    // Kills the whole job: driver and executors.
    output = folder.resolve("again");
    Process killed = submit("killed");
    await(killed, "killed", () -> finished() >= 5);
    executors().forEach(ProcessHandle::destroyForcibly);
    killed.destroyForcibly().waitFor();
    Map<Path, Object> there = identities();
    assertTrue(
        there.size() >= 5 && there.size() < PARTS,
        "the job was killed after " + there.size() + " parts");
    Process again = submit("again");
    await(again, "again", () -> !again.isAlive());
    assertEquals(0, again.exitValue(), log("again"));
    Matcher counts =
        Pattern.compile("of which (\\d+) were there and (\\d+) were written").matcher(log("again"));
    assertTrue(counts.find(), log("again"));
    Map<Path, Object> now = identities();
    long same =
        there.entrySet().stream()
            .filter(file -> file.getValue().equals(now.get(file.getKey())))
            .count();
    assertEquals(there.size(), same, "finished parts that were left alone");
    assertTrue(Integer.parseInt(counts.group(1)) >= there.size(), counts.group());
    assertNotEquals("0", counts.group(2));
    checkOutput();
  }

  @Test
  void tasksOfTwoExecutorsShareARun() throws Exception {
    Path pairs = folder.resolve("pairs");
    Path trained = folder.resolve("trained");
    try (SparkSession spark = Sentences.localSpark()) {
      BarrierTrainingTest.pairs(spark).write().parquet(pairs.toString());
    }
    List<String> arguments =
        new ArrayList<>(
            List.of(Models.tiny().toString(), pairs.toString(), trained.toString(), "2"));
    BarrierTrainingTest.CONFIG.forEach((key, value) -> arguments.add(key + "=" + value));
    Process driver = submit("training", "examples.spark.BarrierTraining", arguments);
    int[] most = {0};
    await(
        driver,
        "training",
        () -> {
          most[0] = Math.max(most[0], executors().size());
          return !driver.isAlive();
        });
    assertEquals(0, driver.exitValue(), log("training"));
    assertEquals(2, most[0], "executors");
    Matcher loss =
        Pattern.compile("trained by 2 ranks, the last loss is (\\S+)").matcher(log("training"));
    assertTrue(loss.find(), log("training"));
    BarrierTrainingTest.assertTrainedByOneProcess(trained, Double.parseDouble(loss.group(1)));
  }

  /** A worker has other children for moments. */
  private List<ProcessHandle> executors() {
    return workers.stream()
        .flatMap(worker -> worker.children())
        .filter(
            child -> {
              try {
                return Files.readString(Path.of("/proc/" + child.pid() + "/cmdline"))
                    .contains("CoarseGrainedExecutorBackend");
              } catch (IOException e) {
                return false; // it has ended
              }
            })
        .toList();
  }

  private void checkOutput() throws IOException {
    assertEquals(PARTS, finished());
    SparkSession spark = Sentences.localSpark();
    try {
      List<Row> rows = spark.read().parquet(output.toString()).collectAsList();
      SameVectors.assertSame(Models.miniLm(), texts, rows);
    } finally {
      spark.stop();
    }
    try (var files = Files.list(output)) {
      assertTrue(
          files.noneMatch(file -> file.getFileName().toString().startsWith(".")),
          "something was left behind");
    }
  }

  private Process submit(String name) throws IOException {
    return submit(
        name,
        "examples.spark.EncodeJob",
        List.of(
            Models.miniLm().toString(),
            input.toString(),
            output.toString(),
            "--parts",
            String.valueOf(PARTS)));
  }

  private Process submit(String name, String job, List<String> arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "submit",
                "--master",
                master,
                "--conf",
                "spark.driver.host=127.0.0.1",
                "--conf",
                "spark.driver.bindAddress=127.0.0.1",
                "--conf",
                "spark.ui.enabled=false",
                "--executor-memory",
                "512m",
                "--driver-memory",
                "512m",
                "--driver-java-options",
                BRIEF,
                "--conf",
                "spark.executor.extraJavaOptions=" + BRIEF,
                "--class",
                job,
                "JOB"));
    command.addAll(arguments);
    Process driver = spark(name, command.toArray(String[]::new));
    cluster.add(driver);
    return driver;
  }

  private Process spark(String log, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(SPARK.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(log + ".log").toFile());
    builder.environment().put("SPARK_DAEMON_MEMORY", "256m");
    builder.environment().put("SPARK_DAEMON_JAVA_OPTS", BRIEF);
    builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
    return builder.start();
  }

  private int finished() throws IOException {
    return Sentences.parts(output).size();
  }

  private Map<Path, Object> identities() throws IOException {
    Map<Path, Object> identities = new HashMap<>();
    for (Path part : Sentences.parts(output)) {
      identities.put(
          part,
          List.of(
              Files.readAttributes(part, BasicFileAttributes.class).fileKey(),
              Files.getLastModifiedTime(part)));
    }
    return identities;
  }

  private String log(String name) throws IOException {
    return Files.readString(folder.resolve(name + ".log"));
  }

  private interface Condition {
    boolean holds() throws IOException;
  }

  private void await(Process process, String log, Condition condition) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    for (; ; ) {
      boolean alive = process.isAlive(); // checked before the condition, which may become true when
                                         // the process ends
      if (condition.holds()) return;
      assertTrue(alive, () -> "the job has ended: " + logOf(log));
      assertTrue(System.nanoTime() < end, () -> "waited for " + PATIENCE + ": " + logOf(log));
      process.waitFor(20, TimeUnit.MILLISECONDS);
    }
  }

  private String logOf(String name) {
    try {
      return log(name);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private String waitFor(String name, String pattern) throws Exception {
    Matcher[] found = new Matcher[1];
    await(
        cluster.get(cluster.size() - 1),
        name,
        () -> (found[0] = Pattern.compile(pattern).matcher(log(name))).find());
    return found[0].group(1);
  }
}
