// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import com.google.errorprone.annotations.CheckReturnValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.jar.JarEntry;
import org.jspecify.annotations.Nullable;

/**
 * DuckDB as an ADBC driver, from the jar {@code org.duckdb:duckdb_jdbc} on the class path or module path.
 *
 * <p>{@snippet :
 * try (AdbcDatabase database = DuckDbDriver.open(); AdbcConnection connection = database.connect()) {
 *   connection.execute("CREATE TABLE flights AS FROM 'flights.parquet'");
 * }
 * }
 *
 * <p>The native library (about 70 MB) is copied from the jar once per version, into a folder under {@code
 * java.io.tmpdir} that only this user may open; later runs find it there. If that folder does not safely belong to this
 * user, each process makes its own copy, and deletes it at exit if the operating system permits. Any thread may use
 * this class.
 */
public final class DuckDbDriver {
  /** The name of DuckDB's init function. */
  public static final String ENTRY_POINT = "duckdb_adbc_init";

  private static @Nullable AdbcDriver loaded;

  private DuckDbDriver() {}

  /**
   * Loads DuckDB; later calls return the same driver.
   *
   * @throws IllegalStateException if the class path has no DuckDB for this operating system and architecture
   * @throws UncheckedIOException if the library cannot be copied from the jar
   */
  public static synchronized AdbcDriver load() {
    AdbcDriver driver = loaded;
    if (driver == null) {
      driver = AdbcDriver.load(library(), ENTRY_POINT);
      loaded = driver;
    }
    return driver;
  }

  /** Loads DuckDB; returns null if the class path does not have it. */
  static @Nullable AdbcDriver loadIfPresent() {
    return names().stream().anyMatch(name -> resource(name) != null) ? load() : null;
  }

  /** Opens a database in memory; the caller closes it. */
  @CheckReturnValue
  public static AdbcDatabase open() {
    return load().open(Map.of("path", ":memory:"));
  }

  /**
   * Returns the path of the library, which is copied from the jar if necessary.
   *
   * @throws IllegalStateException if the class path has no DuckDB for this operating system and architecture
   * @throws UncheckedIOException if the library cannot be copied from the jar
   */
  public static Path library() {
    List<String> names = names();
    for (String name : names) {
      URL url = resource(name);
      if (url != null) {
        try {
          return extract(url, name);
        } catch (IOException e) {
          throw new UncheckedIOException(
              "copying " + url + " to a file in " + System.getProperty("java.io.tmpdir") + " failed: " + e, e);
        }
      }
    }
    throw new IllegalStateException(
        "no DuckDB for this platform on the class path, looked for " + names + "; add org.duckdb:duckdb_jdbc");
  }

  /** Returns the names that the library may have in the jar. */
  private static List<String> names() {
    String platform = "libduckdb_java.so_" + operatingSystem() + "_";
    return List.of(platform + architecture(), platform + "universal");
  }

  /**
   * Returns the resource from the class loader of this class, or from that of the application, which may be another
   * one.
   */
  private static @Nullable URL resource(String name) {
    URL found = ClassLoader.getSystemResource(name);
    ClassLoader ours = DuckDbDriver.class.getClassLoader();
    if (found == null && ours != null) found = ours.getResource(name);
    ClassLoader theirs = Thread.currentThread().getContextClassLoader();
    return found == null && theirs != null ? theirs.getResource(name) : found;
  }

  private static Path extract(URL url, String name) throws IOException {
    Path folder = Path.of(System.getProperty("java.io.tmpdir"), "arbalest-" + System.getProperty("user.name"));
    if (!(url.openConnection() instanceof JarURLConnection connection) || !isOurs(folder)) {
      Path own = Files.createTempFile(name, null);
      own.toFile().deleteOnExit();
      copy(url, own);
      return own;
    }
    JarEntry entry = connection.getJarEntry();
    Path library = folder.resolve("%s-%08x".formatted(name, entry.getCrc()));
    if (!isComplete(library, entry)) {
      // A file with the final name is complete: processes that start together may each copy it, and the last one wins.
      Path part = Files.createTempFile(folder, name, ".part");
      try {
        copy(url, part);
        Files.move(part, library, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        if (!isComplete(library, entry)) { // Windows does not replace a library that is in use
          throw e;
        }
      } finally {
        Files.deleteIfExists(part);
      }
    }
    return library;
  }

  private static boolean isComplete(Path library, JarEntry entry) throws IOException {
    return Files.isRegularFile(library) && Files.size(library) == entry.getSize();
  }

  /** Creates the folder, or checks that no other user could have put a library into it. */
  private static boolean isOurs(Path folder) throws IOException {
    if (!folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createDirectories(folder); // on Windows java.io.tmpdir is the user's own
      return true;
    }
    var onlyUs = PosixFilePermissions.fromString("rwx------");
    try {
      Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(onlyUs));
      return true;
    } catch (FileAlreadyExistsException e) {
      var found = Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return found.isDirectory() && found.permissions().equals(onlyUs) && found.owner().equals(thisUser());
    }
  }

  /** Returns the owner of a new file: in a container, the user may have no name. */
  private static UserPrincipal thisUser() throws IOException {
    Path made = Files.createTempFile("arbalest", null);
    try {
      return Files.getOwner(made);
    } finally {
      Files.delete(made);
    }
  }

  private static void copy(URL url, Path file) throws IOException {
    try (InputStream in = url.openStream();
        OutputStream out = Files.newOutputStream(file, StandardOpenOption.TRUNCATE_EXISTING)) {
      in.transferTo(out); // into the existing file, which only this user may open
    }
  }

  private static String operatingSystem() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return os.startsWith("mac") ? "macos" : os.startsWith("windows") ? "windows" : "linux";
  }

  private static String architecture() {
    String arch = System.getProperty("os.arch");
    return arch.equals("aarch64") ? "arm64" : arch.equals("x86_64") ? "amd64" : arch;
  }
}
