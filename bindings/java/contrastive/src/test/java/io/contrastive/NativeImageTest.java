package io.contrastive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Tests the metadata that GraalVM's native-image reads, without GraalVM: the files have the members
 * of their schemas, and they list everything that the JNI code looks up by name, every native
 * method, and every resource.
 */
class NativeImageTest {
  private static final String FOLDER = "META-INF/native-image/io.contrastive/contrastive/";
  private static final Path ROOT = Path.of(System.getProperty("contrastive.root"));

  private static JsonNode read(String name) throws IOException {
    try (InputStream in =
        NativeImageTest.class.getClassLoader().getResourceAsStream(FOLDER + name)) {
      return new ObjectMapper().readTree(in);
    }
  }

  private static void members(JsonNode object, String... allowed) {
    assertTrue(object.isObject(), object.toString());
    for (Iterator<String> names = object.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      assertTrue(Set.of(allowed).contains(name), "'" + name + "' in " + object);
    }
  }

  /** The types of a file by name, after a check that they have the form of the schema. */
  private static Map<String, JsonNode> types(JsonNode list, String key) throws Exception {
    Map<String, JsonNode> types = new HashMap<>();
    for (JsonNode type : list) {
      members(type, key, "jniAccessible", "allDeclaredMethods", "methods", "fields");
      for (String flag : new String[] {"jniAccessible", "allDeclaredMethods"})
        assertTrue(!type.has(flag) || type.get(flag).isBoolean(), type.toString());
      String name = type.get(key).textValue();
      for (JsonNode method : type.path("methods")) {
        members(method, "name", "parameterTypes");
        find(name, method);
      }
      for (JsonNode field : type.path("fields")) {
        members(field, "name");
        Class.forName(name).getDeclaredField(field.get("name").textValue());
      }
      types.put(name, type);
    }
    return types;
  }

  /** Throws if the class has no such method. */
  private static void find(String type, JsonNode method) throws Exception {
    Class<?>[] parameters = new Class<?>[method.get("parameterTypes").size()];
    for (int i = 0; i < parameters.length; i++) {
      String name = method.get("parameterTypes").get(i).textValue();
      parameters[i] =
          switch (name) {
            case "int" -> int.class;
            case "long" -> long.class;
            case "byte[]" -> byte[].class;
            default -> Class.forName(name);
          };
    }
    String name = method.get("name").textValue();
    if (name.equals("<init>")) Class.forName(type).getDeclaredConstructor(parameters);
    else Class.forName(type).getDeclaredMethod(name, parameters);
  }

  private static Map<String, JsonNode> current() throws Exception {
    JsonNode metadata = read("reachability-metadata.json");
    members(metadata, "reflection", "resources");
    Map<String, JsonNode> types = types(metadata.get("reflection"), "type");
    for (JsonNode type : types.values()) assertTrue(type.get("jniAccessible").booleanValue());
    return types;
  }

  private static Set<String> names(JsonNode list) {
    Set<String> names = new HashSet<>();
    for (JsonNode item : list) names.add(item.get("name").textValue());
    return names;
  }

  private static Set<String> found(String text, String pattern) {
    Set<String> found = new TreeSet<>();
    Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(text);
    while (matcher.find()) found.add(matcher.group(1));
    return found;
  }

  @Test
  void everythingThatTheJniCodeLooksUpIsListed() throws Exception {
    Map<String, JsonNode> types = current();
    String glue = Files.readString(ROOT.resolve("bindings/java/jni/glue.cpp"));
    Set<String> classes = found(glue, "(?:FindClass|global_class)\\((?:env, )?\"([^\"]+)\"");
    assertTrue(classes.size() >= 8, classes.toString());
    Map<String, String> arrays = Map.of("[F", "float[]", "[[F", "float[][]");
    for (String name : classes)
      assertTrue(types.containsKey(arrays.getOrDefault(name, name.replace('/', '.'))), name);
    Set<String> methods = new HashSet<>(), fields = new HashSet<>();
    for (JsonNode type : types.values()) {
      methods.addAll(names(type.path("methods")));
      fields.addAll(names(type.path("fields")));
    }
    methods.remove("<init>"); // ThrowNew looks it up
    assertEquals(found(glue, "GetStaticMethodID\\([\\w.]+,\\s*\"(\\w+)\""), methods);
    assertEquals(found(glue, "GetFieldID\\([\\w.]+,\\s*\"(\\w+)\""), fields);
  }

  @Test
  void everyClassWithNativeMethodsIsListed() throws Exception {
    Map<String, JsonNode> types = current();
    Path classes =
        Path.of(NativeLoader.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Set<String> with = new TreeSet<>();
    try (var files = Files.list(classes.resolve("io/contrastive"))) {
      for (Path file : files.toList()) {
        String name = "io.contrastive." + file.getFileName().toString().replace(".class", "");
        Class<?> type = Class.forName(name, false, NativeLoader.class.getClassLoader());
        if (Arrays.stream(type.getDeclaredMethods())
            .anyMatch(method -> Modifier.isNative(method.getModifiers()))) with.add(name);
      }
    }
    assertEquals(Set.of("io.contrastive.NativeJNI"), with);
    for (String name : with)
      assertTrue(types.get(name).get("allDeclaredMethods").booleanValue(), name);
  }

  @Test
  void everyResourceIsListed() throws Exception {
    JsonNode resources = read("reachability-metadata.json").get("resources");
    assertEquals(1, resources.size());
    members(resources.get(0), "glob");
    String folder = resources.get(0).get("glob").textValue().replaceAll("\\*\\*$", "");
    JsonNode old = read("resource-config.json");
    members(old, "resources");
    members(old.get("resources"), "includes");
    Pattern pattern = Pattern.compile(old.at("/resources/includes/0/pattern").textValue());
    for (Platform platform : Platform.ALL) {
      Set<String> files = new HashSet<>(platform.training());
      files.add(platform.library());
      files.add(platform.jni());
      for (String file : files) {
        assertTrue((platform.resources() + file).startsWith(folder));
        assertTrue(pattern.matcher(platform.resources() + file).matches());
      }
    }
  }

  /** native-image before version 24 reads these files instead. */
  @Test
  void theFilesOfOlderVersionsListTheSame() throws Exception {
    Map<String, JsonNode> types = current(), old = types(read("jni-config.json"), "name");
    assertEquals(types.keySet(), old.keySet());
    for (String name : types.keySet())
      for (String part : new String[] {"methods", "fields", "allDeclaredMethods"})
        assertEquals(types.get(name).get(part), old.get(name).get(part), name);
  }
}
