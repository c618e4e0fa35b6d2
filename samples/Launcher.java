// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Runs a sample from what was built, and builds it before where that is older than its sources. Maven starts this, from its source, on the JDK of the
 * toolchain, in the project's folder:
 *
 * <pre>./mvnw -q -N validate exec:exec@sample -Dsample=ticker -Dargs="--seconds 5"</pre>
 */
class Launcher {
  /** The class path of the samples: their classes, and what Maven wrote of their dependencies when it built them. */
  private static final Path CLASSES = Path.of("samples", "target", "classes"), DEPENDENCIES = Path.of("samples", "target", "class-path.txt");

  public static void main(String[] args) throws IOException, InterruptedException {
    if (!isBuilt()) {
      System.err.println("Building the samples: a minute or two, this time only.");
      List<String> maven = new ArrayList<>(File.separatorChar == '\\' ? List.of("cmd", "/c", "mvnw.cmd") : List.of("./mvnw"));
      maven.addAll(List.of("-q", "-pl", "samples", "-am", "process-classes"));
      FileTime begun = FileTime.from(Instant.now());
      int code = run(maven);
      if (code != 0) System.exit(code);
      Files.setLastModifiedTime(DEPENDENCIES, begun); // what was changed while it was built may not be in it
    }
    List<String> java = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    java.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-classpath", CLASSES + File.pathSeparator + Files.readString(DEPENDENCIES).strip()));
    java.add("org.arbalest.samples.SamplesKt");
    java.addAll(List.of(args));
    System.exit(run(java));
  }

  /** Whether nothing that the samples are built of is younger than what was built, and all of that is still there. */
  private static boolean isBuilt() throws IOException {
    if (!Files.exists(CLASSES) || !Files.exists(DEPENDENCIES)) return false;
    FileTime built = Files.getLastModifiedTime(DEPENDENCIES);
    Path root = Path.of("").toAbsolutePath();
    Set<Path> modules = new LinkedHashSet<>(List.of(Path.of("samples")));
    for (String entry : Files.readString(DEPENDENCIES).strip().split(File.pathSeparator)) {
      Path path = Path.of(entry);
      if (!Files.exists(path)) return false;
      if (path.startsWith(root)) modules.add(root.relativize(path).getName(0));
    }
    if (isYounger(Path.of("pom.xml"), built)) return false;
    for (Path module : modules) if (isYounger(module.resolve("pom.xml"), built) || isYounger(module.resolve("src", "main"), built)) return false;
    return true;
  }

  /** Whether a file, or anything in a folder, is younger; so is a folder which something was taken out of. */
  private static boolean isYounger(Path path, FileTime than) throws IOException {
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : (Iterable<Path>) all::iterator) if (Files.getLastModifiedTime(each).compareTo(than) > 0) return true;
      return false;
    } catch (NoSuchFileException e) {
      return true;
    }
  }

  /** The exit code of a command that has this process' terminal. */
  private static int run(List<String> command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }
}
