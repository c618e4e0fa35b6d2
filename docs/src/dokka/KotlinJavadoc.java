// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jetbrains.dokka.DokkaBootstrapImpl;

/**
 * Writes the documentation of one Kotlin module as Dokka's HTML, for its javadoc jar. Maven runs it as a source file,
 * because the module is built before the module docs.
 */
final class KotlinJavadoc {
  private KotlinJavadoc() {}

  /**
   * Runs Dokka. The arguments are the module's name and version, its source folders separated by commas, the target
   * folder, and the class path.
   */
  public static void main(String[] args) {
    String classpath =
        Arrays.stream(args[4].split(File.pathSeparator)).map(KotlinJavadoc::quoted).collect(Collectors.joining(", "));
    String sources = Arrays.stream(args[2].split(",")).map(KotlinJavadoc::quoted).collect(Collectors.joining(", "));
    // Dokka would download the package lists of the JDK and the standard library.
    String configuration =
        """
        {
          "moduleName": %s,
          "moduleVersion": %s,
          "outputDir": %s,
          "offlineMode": true,
          "sourceSets": [{
            "displayName": "JVM",
            "sourceSetID": {"scopeId": "arbalest", "sourceSetName": "main"},
            "sourceRoots": [%s],
            "classpath": [%s],
            "jdkVersion": 25,
            "noJdkLink": true,
            "noStdlibLink": true
          }]
        }
        """
            .formatted(quoted(args[0]), quoted(args[1]), quoted(args[3]), sources, classpath);
    var failed = new AtomicBoolean();
    var dokka = new DokkaBootstrapImpl();
    dokka.configure(
        configuration,
        (level, message) -> {
          if (level.equals("warn") || level.equals("error")) {
            System.err.println(level + ": " + message);
            failed.set(true);
          }
        });
    try {
      dokka.generate();
    } catch (Throwable e) {
      e.printStackTrace();
      failed.set(true);
    }
    System.exit(failed.get() ? 1 : 0); // since Dokka leaves threads running
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
