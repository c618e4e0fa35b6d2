// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Prints each failed test of the last build: its module, class, name and reason, and the command that repeats it.
 *
 * <p>{@code mvnw} calls this after Maven has failed, so that the failed tests are the last output. It also calls this
 * after a successful build with a filter of tests; the exit code is then 1 if the filter has matched no test.
 * Arguments: the project's folder; the start of the build in seconds since the epoch, because older reports are of
 * other builds; Maven's exit code.
 */
class WhatFailed {
  private static final int MOST = 25;

  public static void main(String[] args) throws Exception {
    Path root = Path.of(args[0]);
    long since = Long.parseLong(args[1]) * 1000;
    if (args[2].equals("0")) {
      if (hasRunTests(root, since)) return;
      System.err.println("\nThe filter kotest.filter.tests has run no test: it matches none, or all are skipped."
          + " It must match the whole path of a test, so that it usually begins and ends with *.");
      System.exit(1);
    }
    List<Failure> failures = failures(root, since);
    // The initializationError of the same spec is reported as well.
    failures.removeIf(each -> each.test.endsWith("InstantiationException"));
    if (failures.isEmpty()) return;
    StringBuilder out =
        new StringBuilder("\n" + failures.size() + (failures.size() == 1 ? " test" : " tests") + " failed:\n");
    for (Failure each : failures.subList(0, Math.min(MOST, failures.size()))) out.append(each);
    if (failures.size() > MOST) out.append("\n… and ").append(failures.size() - MOST).append(" more\n");
    System.err.print(out);
  }

  private static boolean hasRunTests(Path root, long since) throws Exception {
    DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
    for (Path report : reports(root)) {
      if (Files.getLastModifiedTime(report).toMillis() < since) continue;
      NodeList tests = parser.parse(report.toFile()).getElementsByTagName("testcase");
      for (int i = 0; i < tests.getLength(); i++) {
        if (first((Element) tests.item(i), "skipped") == null) return true;
      }
    }
    return false;
  }

  private static List<Failure> failures(Path root, long since) throws Exception {
    DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
    List<Failure> failures = new ArrayList<>();
    for (Path report : reports(root)) {
      if (Files.getLastModifiedTime(report).toMillis() < since) continue;
      NodeList tests;
      try {
        tests = parser.parse(report.toFile()).getElementsByTagName("testcase");
      } catch (org.xml.sax.SAXException e) {
        failures.add(new Failure(root.relativize(report), "", report.getFileName().toString(),
            "the report cannot be read: " + e.getMessage()));
        continue;
      }
      for (int i = 0; i < tests.getLength(); i++) {
        Element test = (Element) tests.item(i);
        Element problem = first(test, "failure", "error");
        if (problem != null) failures.add(new Failure(root.relativize(report), test.getAttribute("classname"),
            test.getAttribute("name"), problem.getAttribute("message")));
      }
    }
    return failures;
  }

  private static List<Path> reports(Path root) throws IOException {
    List<Path> reports = new ArrayList<>();
    try (Stream<Path> modules = Files.list(root)) {
      for (Path module : (Iterable<Path>) modules.sorted()::iterator) {
        Path target = module.resolve("target");
        if (!Files.isDirectory(target)) continue;
        try (Stream<Path> files = Files.find(target, 2,
            (file, attributes) -> target.relativize(file).toString().matches("surefire-reports.*TEST-.*[.]xml"))) {
          files.sorted().forEach(reports::add);
        }
      }
    }
    return reports;
  }

  private static Element first(Element test, String... names) {
    for (String name : names) {
      NodeList found = test.getElementsByTagName(name);
      if (found.getLength() > 0) return (Element) found.item(0);
    }
    return null;
  }

  /**
   * A failed test.
   *
   * @param report the report's path below the project; {@code specification} is the class, with the name of a second
   *     execution in parentheses
   */
  private record Failure(Path report, String specification, String test, String message) {
    private String module() {
      return report.getName(0).toString();
    }

    @Override
    public String toString() {
      String name = specification.replaceFirst("[(].*", "");
      String spec = name.substring(name.lastIndexOf('.') + 1);
      String module = module();
      String reason = message.strip().lines().findFirst().orElse("no message");
      return "\n" + module + ": " + specification.substring(name.lastIndexOf('.') + 1) + ": " + test + "\n  "
          + (reason.length() > 200 ? reason.substring(0, 200) + "…" : reason)
          + "\n  ./mvnw " + profiles() + "-pl " + module + " -am test -Dtest=" + spec + only() + "\n";
    }

    /** Returns the profiles that build the test's module and run its spec. */
    private String profiles() {
      if (module().contains("spark")) return "-Pfull,spark ";
      boolean isSecond = specification.contains("(") || !report.getParent().endsWith("surefire-reports");
      boolean isSlow = specification.replaceFirst("[(].*", "").matches(".*(Soak|Stress|Fuzz|Engine)Spec");
      return isSecond || isSlow
          || List.of("samples", "interop", "integration", "benchmarks", "consumers").contains(module())
              ? "-Pfull " : "";
    }

    /**
     * Returns the filter for the test, or nothing for a whole spec.
     *
     * <p>Kotest's filter is a regular expression, in which {@code *} is any text. It must match the whole path of the
     * test, which begins with its spec, and also the path of each context around it. Surefire separates a context from
     * its tests with a slash. So the part after a context is optional.
     */
    private String only() {
      if (test.equals("initializationError")) return "";
      String[] names = test.split("/", -1);
      StringBuilder filter = new StringBuilder("*/").append(words(names[0]));
      for (int i = 1; i < names.length; i++) filter.append("(*").append(words(names[i]));
      return " '-Dkotest.filter.tests=" + filter + ")?".repeat(names.length - 1) + "'";
    }

    /** Replaces characters that a shell or the filter may interpret by a pattern for any text. */
    private static String words(String name) {
      return name.replaceAll("[^\\p{L}\\p{N} :_-]+", "*");
    }
  }
}
