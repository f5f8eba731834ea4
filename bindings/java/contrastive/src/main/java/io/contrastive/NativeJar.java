package io.contrastive;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Unpacks the native libraries of the jar into a temporary folder. The files of libraries that are
 * loaded at once are deleted after loading. The training plugin is opened later, from the folder
 * from which libcontrastive was loaded, so its file stays until the process ends.
 *
 * <p>A process that is killed leaves its folder behind. Each folder contains a file that its
 * process keeps locked, and the system releases the lock when the process ends. The next process
 * removes the folders whose lock is free.
 */
final class NativeJar implements AutoCloseable {
  private static final String LOCK = "in-use";
  private static final String NAME = "contrastive-";
  private static FileChannel held; // until the process ends; closing it would release the lock

  private final List<String> loadedAtOnce;
  private final List<String> all; // files that a folder may contain, with the lock
  private final List<String> tried;
  private Path folder;
  private boolean training;

  NativeJar(Platform platform, List<String> tried) {
    this.tried = tried;
    loadedAtOnce = List.of(platform.library(), platform.jni());
    all = new ArrayList<>(loadedAtOnce);
    all.addAll(platform.training());
    all.add(LOCK);
    try {
      for (String name : loadedAtOnce) {
        String resource = platform.resources() + name;
        if (!unpack(resource, name)) tried.add("class path: no resource " + resource);
      }
      for (String name : folder == null ? List.<String>of() : platform.training())
        training |= unpack(platform.resources() + name, name);
    } catch (IOException e) {
      tried.add("unpacking the natives into " + System.getProperty("java.io.tmpdir") + ": " + e);
    }
  }

  /** The folder; null if the class path has no native libraries. */
  Path folder() {
    return folder;
  }

  private boolean unpack(String resource, String name) throws IOException {
    ClassLoader loader =
        NativeLoader.class
            .getClassLoader(); // also sees the natives jar on the module path; Class.getResource
    // does not
    try (InputStream in = loader.getResourceAsStream(resource)) {
      if (in == null) return false;
      if (folder == null) makeFolder();
      Files.copy(in, folder.resolve(name));
      return true;
    }
  }

  private void makeFolder() throws IOException {
    // The name contains the process ID, because a process must not open its own lock file again:
    // closing any descriptor of a file releases all locks that the process holds on it.
    String own = NAME + ProcessHandle.current().pid() + "-";
    folder = Files.createTempDirectory(own);
    try {
      lock(folder.resolve(LOCK));
      removeAbandoned(folder.getParent(), own);
    } catch (IOException | UnsupportedOperationException e) { // a file system without locks
      tried.add("looking for what killed processes left in " + folder.getParent() + ": " + e);
    }
  }

  private static void lock(Path file) throws IOException {
    held = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    held.lock();
    held.write(ByteBuffer.wrap(new byte[] {1})); // an empty file is not locked yet
  }

  private void removeAbandoned(Path temporary, String own) throws IOException {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, NAME + "*-*")) {
      for (Path other : folders) {
        if (!other.getFileName().toString().startsWith(own)) removeIfAbandoned(other);
      }
    }
  }

  private void removeIfAbandoned(Path other) {
    Path lock = other.resolve(LOCK);
    try {
      boolean ours =
          Files.isDirectory(other, LinkOption.NOFOLLOW_LINKS)
              && Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS)
              && Files.size(lock) > 0
              && Files.getOwner(other).equals(Files.getOwner(folder));
      if (!ours) return;
      try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
          FileLock free = channel.tryLock()) {
        if (free != null) remove(other);
      }
    } catch (IOException | OverlappingFileLockException e) {
      return; // in use, or another process is removing it
    }
  }

  private void remove(Path folder) throws IOException {
    for (String name : all) Files.deleteIfExists(folder.resolve(name));
    Files.deleteIfExists(folder);
  }

  @Override
  public void close() {
    if (folder == null) return;
    try {
      for (String name : loadedAtOnce) Files.deleteIfExists(folder.resolve(name));
      if (!training) remove(folder);
    } catch (IOException e) { // Windows does not delete libraries that are loaded
      tried.add("removing what was unpacked into " + folder + ": " + e);
    }
    // deleteOnExit deletes in reverse order. Files that no longer exist do no harm.
    folder.toFile().deleteOnExit();
    for (int i = all.size() - 1; i >= 0; i--) folder.resolve(all.get(i)).toFile().deleteOnExit();
  }
}
