package io.contrastive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the training plugin and LibTorch, missing and in configured folders, in separate Java
 * processes.
 */
class LibTorchTest {
  private static final String[] ALL = {
    "libcontrastive.so.0", "libcontrastive-torch.so.0", "libcontrastive_java.so"
  };
  private static final String LIBRARY = "-Dcontrastive.library=" + JavaProcess.NATIVES;

  @TempDir Path folder;
  private JavaProcess process;

  /** What the processes run. Arguments: MODEL, then what to do, in order. */
  public static final class Main {
    public static void main(String[] arguments) throws Exception {
      try (SentenceEncoder encoder = SentenceEncoder.load(Path.of(arguments[0]))) {
        float[] before = encoder.encode("the cat sat");
        for (String what : List.of(arguments).subList(1, arguments.length)) {
          try {
            run(what, encoder, arguments);
          } catch (ContrastiveException e) {
            System.out.println(what + " failed " + e.kind() + " " + e.getMessage());
          }
        }
        System.out.println(
            "embeds alike: " + (Similarity.cosine(before, encoder.encode("the cat sat")) > 0.999));
      }
    }

    private static void run(String what, SentenceEncoder encoder, String[] arguments)
        throws Exception {
      if (what.equals("train")) {
        Config config = Config.of("method", "clsr", "batch_size", 2, "max_steps", 1);
        try (Trainer trainer = Trainer.start(encoder, null, config)) {
          trainer.batch(
              List.of(
                  Example.pair("the cat sat", "a cat sits"),
                  Example.pair("a dog runs", "the dog ran")));
          System.out.println("trained " + trainer.metric("step"));
        }
      } else if (what.equals("cuda")) {
        SentenceEncoder.load(Path.of(arguments[0]), Config.of("device", "cuda")).close();
      } else if (what.equals("again")) { // as a redeployed application does
        URL[] places =
            Stream.of(System.getProperty("java.class.path").split(":"))
                .map(Main::url)
                .toArray(URL[]::new);
        Class<?> again =
            new URLClassLoader(places, ClassLoader.getPlatformClassLoader())
                .loadClass(Main.class.getName());
        System.out.println("again, by another class: " + (again != Main.class));
        again
            .getMethod("main", String[].class)
            .invoke(null, (Object) new String[] {arguments[0], "train", "info"});
      } else if (what.equals("info")) {
        System.out.println(
            "libtorch ["
                + BuildInfo.get().libtorchPath()
                + "] ["
                + BuildInfo.get().libtorchReason()
                + "]");
      } else {
        Library.setLibTorch(what.equals("none") ? null : Path.of(what));
      }
    }

    private static URL url(String place) {
      try {
        return Path.of(place).toUri().toURL();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @BeforeEach
  void copyClasses() throws IOException {
    process = new JavaProcess(folder, Main.class);
  }

  /**
   * @param what options of java, then the arguments of Main after the model
   */
  private String prints(Map<String, String> environment, String classPath, String... what)
      throws Exception {
    Stream<String> options = Stream.of(what).filter(word -> word.startsWith("-D"));
    Stream<String> arguments =
        Stream.concat(
            Stream.of("--", Fixtures.MODELS.resolve("bert_st").toString()),
            Stream.of(what).filter(word -> !word.startsWith("-D")));
    String output =
        process.prints(
            environment, classPath, Stream.concat(options, arguments).toArray(String[]::new));
    assertTrue(output.endsWith("embeds alike: true\n"), output);
    return output;
  }

  private static void says(String output, String... parts) {
    for (String part : parts)
      assertTrue(output.contains(part), "'" + part + "' is not in the output:\n" + output);
  }

  /** Makes a folder whose lib/ is the LibTorch that this process has loaded. */
  private Path torch() throws IOException {
    Path own = Files.createDirectories(folder.resolve("own"));
    Files.createSymbolicLink(own.resolve("lib"), Path.of(BuildInfo.get().libtorchPath()));
    return own;
  }

  @Test
  void anInstallationThatOnlyEmbedsSaysWhatTrainingNeeds() throws Exception {
    Path alone = Files.createDirectories(folder.resolve("alone"));
    for (String name : List.of(ALL[0], ALL[2]))
      Files.copy(JavaProcess.NATIVES.resolve(name), alone.resolve(name));
    says(
        prints(Map.of(), "", "-Dcontrastive.library=" + alone, "train", "cuda", "info"),
        "train failed UNSUPPORTED",
        "libcontrastive-torch.so.0 is neither in " + alone,
        "cuda failed DEVICE",
        "libtorch [] [training needs");
    Path temporary = Files.createDirectories(folder.resolve("tmp"));
    says(
        prints(
            Map.of(),
            ":" + JavaProcess.jar(folder, ALL[0], ALL[2]),
            "-Djava.io.tmpdir=" + temporary,
            "train"),
        "train failed UNSUPPORTED",
        "libcontrastive-torch.so.0 is neither in " + temporary + "/contrastive-");
  }

  @Test
  void theJarsPartIsThereWhenItIsNeededAndGoneWithTheProcess() throws Exception {
    Path temporary = Files.createDirectories(folder.resolve("tmp"));
    says(
        prints(
            Map.of(), ":" + JavaProcess.jar(folder, ALL), "-Djava.io.tmpdir=" + temporary, "train"),
        "trained 1.0");
    try (var left = Files.list(temporary)) {
      assertEquals(
          List.of(),
          left.filter(path -> path.getFileName().toString().startsWith("contrastive-")).toList());
    }
  }

  @Test
  void libTorchIsTakenFromWhereItIsNamed() throws Exception {
    String used = "libtorch [" + torch() + "/lib] []";
    Map<String, String> nowhere = Map.of("CONTRASTIVE_LIBTORCH", "/nowhere/by/variable");
    says(
        prints(
            nowhere,
            "",
            LIBRARY,
            "train",
            "/nowhere/by/call",
            "train",
            "none",
            "train",
            folder + "/own",
            "train",
            "info",
            "/nowhere"),
        "train failed UNSUPPORTED",
        "/nowhere/by/variable (CONTRASTIVE_LIBTORCH) is not a LibTorch",
        "/nowhere/by/call (cs_set_libtorch) is not a LibTorch",
        "trained 1.0",
        used,
        "/nowhere failed STATE",
        "is loaded from");
  }

  @Test
  void thePropertyComesBeforeTheVariable() throws Exception {
    String own = "-Dcontrastive.libtorch=" + torch();
    Map<String, String> nowhere = Map.of("CONTRASTIVE_LIBTORCH", "/nowhere/by/variable");
    String twice = prints(nowhere, ":" + JavaProcess.jar(folder, ALL), own, "train", "again");
    says(
        twice,
        "trained 1.0",
        "again, by another class: true",
        "libtorch [" + folder + "/own/lib] []");
    assertEquals(2, twice.split("trained 1.0", -1).length - 1, twice);
    says(
        prints(Map.of(), "", LIBRARY, "-Dcontrastive.libtorch=/nowhere/by/property", "train"),
        "train failed UNSUPPORTED",
        "/nowhere/by/property (cs_set_libtorch) is not a LibTorch");
  }
}
