// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;

/**
 * Runs ktlint's check with the compiler of this build, which is much smaller than ktlint's complete jar with its own
 * compiler. One class of ktlint is replaced, since this compiler needs another form of it. Only the complete jar can
 * change sources, since the compiler of Kotlin 2.4 does not allow changes of parsed code.
 */
final class Ktlint {
  private static final Path CLASS = Path.of("com/pinterest/ktlint/rule/engine/core/api/KtlintKotlinCompilerKt.java");

  private Ktlint() {}

  /** Runs ktlint. The arguments are the folder of ktlint's jars, the folder of this file, and ktlint's arguments. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Path folder = Path.of(args[0]);
    Path ours = Files.createDirectories(folder.resolve("classes"));
    List<Path> classPath = new ArrayList<>(List.of(ours));
    try (var jars = Files.newDirectoryStream(folder, "*.jar")) {
      jars.forEach(classPath::add);
    }
    String joined = classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    String source = Path.of(args[1]).resolve(CLASS).toString();
    int code = ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-d", ours.toString(), "-cp",
        joined, source);
    if (code != 0) System.exit(code);

    var command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(List.of("--sun-misc-unsafe-memory-access=allow", "-cp", joined, "com.pinterest.ktlint.Main"));
    command.addAll(List.of(args).subList(2, args.length));
    System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
  }
}
