// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs a sample from its classes, and builds them first if they are older than their sources. Maven starts this source
 * file, on the JDK of the toolchain, in the project's folder:
 *
 * <pre>./mvnw -q -N validate exec:exec@sample -Dsample=ticker -Dargs="--seconds 5"</pre>
 *
 * <p>Samples are in three modules, so that the main job builds and downloads little, and only {@code spark} downloads
 * Spark's 172 jars.
 */
class Launcher {
  public static void main(String[] args) throws IOException, InterruptedException {
    Samples samples = samples(args.length == 0 ? "" : args[0]);
    boolean isSpark = samples.module.equals("samples-spark");
    if (!samples.isBuilt()) {
      System.err.println("Building " + samples.contents);
      List<String> maven =
          new ArrayList<>(File.separatorChar == '\\' ? List.of("cmd", "/c", "mvnw.cmd") : List.of("./mvnw"));
      maven.addAll(samples.options);
      maven.addAll(List.of("-pl", samples.module, "-am", "process-classes"));
      FileTime begun = FileTime.from(Instant.now());
      int code = build(maven);
      if (code != 0) System.exit(code);
      // because the build may miss changes that were made while it ran
      Files.setLastModifiedTime(samples.classPathFile(), begun);
    }
    List<String> java = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    // Most code of Spark runs once in this sample, so that C2 would double the time.
    if (isSpark) java.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    java.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-classpath", samples.classPath()));
    java.add(samples.main);
    java.addAll(List.of(args).subList(isSpark ? 1 : 0, args.length));
    System.exit(run(java));
  }

  /** Returns the module of a sample. Without a sample, {@code SamplesKt} lists all of them. */
  private static Samples samples(String name) {
    return switch (name) {
      case "flights", "flights-java" -> new Samples("samples-flights", "org.arbalest.samples.FlightSamplesKt",
          List.of("-Pflights", "-Dpublish=jars"),
          "the sample, which takes about a minute. The first time, Maven downloads 110 MB.");
      case "spark" -> new Samples("samples-spark", "org.arbalest.samples.FlightsOnSparkKt", List.of("-Pfull,spark"),
          "the sample. The first time, Maven downloads 172 jars of Spark (291 MB), which takes minutes.");
      default -> new Samples("samples", "org.arbalest.samples.SamplesKt", List.of("-Pfull"),
          "the samples, which takes a minute or two.");
    };
  }

  /**
   * A module of samples, with the class path that Maven wrote when it built them.
   *
   * @param options Maven's options for the build
   * @param contents the end of a sentence about the build
   */
  private record Samples(String module, String main, List<String> options, String contents) {
    Path classes() {
      return Path.of(module, "target", "classes");
    }

    Path classPathFile() {
      return Path.of(module, "target", "class-path.txt");
    }

    String classPath() throws IOException {
      return Files.readString(classPathFile()).strip();
    }

    /** Returns whether all built classes exist and none of their sources is younger. */
    boolean isBuilt() throws IOException {
      if (!Files.exists(classes()) || !Files.exists(classPathFile())) return false;
      FileTime built = Files.getLastModifiedTime(classPathFile());
      Path root = Path.of("").toAbsolutePath();
      Set<Path> modules = new LinkedHashSet<>(List.of(Path.of(module)));
      for (String entry : classPath().split(File.pathSeparator)) {
        Path path = Path.of(entry);
        if (!Files.exists(path)) return false;
        if (path.startsWith(root)) modules.add(root.relativize(path).getName(0));
      }
      if (isYounger(Path.of("pom.xml"), built)) return false;
      for (Path each : modules)
        if (isYounger(each.resolve("pom.xml"), built) || isYounger(each.resolve("src", "main"), built)) return false;
      return true;
    }
  }

  /**
   * Returns whether a path, or any file below it, is younger. Removing a file makes its folder younger. A missing path
   * counts as younger.
   */
  private static boolean isYounger(Path path, FileTime than) throws IOException {
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : (Iterable<Path>) all::iterator)
        if (Files.getLastModifiedTime(each).compareTo(than) > 0) return true;
      return false;
    } catch (NoSuchFileException e) {
      return true;
    }
  }

  /** Matches Maven's line at the start of a module: its name, and its number with that of all modules. */
  private static final Pattern MODULE = Pattern.compile("\\[INFO] Building (.+?) \\S+ +(\\[\\d+/\\d+])");

  /** Matches Maven's line about a downloaded file, and the file's name. */
  private static final Pattern DOWNLOADED = Pattern.compile("Writing tracking file .*?([^/\\\\]+)\\.lastUpdated");

  /** Lets Maven log downloads, and saves the CPU time of optimizations that a short build does not use. */
  private static final String MAVEN_OPTS = "-XX:TieredStopAtLevel=1 "
      + "-Dorg.slf4j.simpleLogger.log.org.eclipse.aether.internal.impl.DefaultTrackingFileManager=debug";

  private static final long BETWEEN_NANOS = 2_000_000_000;

  /**
   * Runs Maven and returns its exit code. Of its output, it prints the modules, errors, and a downloaded file every two
   * seconds. If Maven fails without an error, it prints Maven's last lines.
   */
  private static int build(List<String> maven) throws IOException, InterruptedException {
    var builder = new ProcessBuilder(maven).redirectInput(ProcessBuilder.Redirect.INHERIT)
        .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().merge("MAVEN_OPTS", MAVEN_OPTS, (own, more) -> own + " " + more);
    Process process = builder.start();
    int files = 0;
    long printed = System.nanoTime() - BETWEEN_NANOS;
    boolean hasError = false;
    Deque<String> last = new ArrayDeque<>();
    try (BufferedReader lines = process.inputReader()) {
      for (String line; (line = lines.readLine()) != null;) {
        Matcher module = MODULE.matcher(line);
        Matcher downloaded = DOWNLOADED.matcher(line);
        if (module.find()) System.err.println(module.group(2) + " " + module.group(1));
        if (line.startsWith("[ERROR]")) {
          System.err.println(line);
          hasError = true;
        }
        if (!line.startsWith("[DEBUG]")) last.add(line);
        if (last.size() > 20) last.remove();
        if (!downloaded.find()) continue;
        files++;
        if (System.nanoTime() - printed < BETWEEN_NANOS) continue;
        printed = System.nanoTime();
        System.err.println("  file " + files + " downloaded: " + downloaded.group(1));
      }
    }
    int code = process.waitFor();
    // such as the message of a JVM that does not start
    if (code != 0 && !hasError) last.forEach(System.err::println);
    return code;
  }

  /** Runs a command in this process's terminal and returns its exit code. */
  private static int run(List<String> command) throws IOException, InterruptedException {
    var builder = new ProcessBuilder(command).inheritIO();
    builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
    // Spark accepts a folder with an empty folder `jars`.
    builder.environment().put("SPARK_HOME",
        Path.of("spark", "src", "test", "resources", "spark-home").toAbsolutePath().toString());
    return builder.start().waitFor();
  }
}
