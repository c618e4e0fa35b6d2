// SPDX-License-Identifier: Apache-2.0
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.eclipse.jdt.core.JavaCore;
import org.eclipse.jdt.core.ToolFactory;
import org.eclipse.jdt.core.formatter.CodeFormatter;
import org.eclipse.jdt.core.formatter.DefaultCodeFormatterConstants;
import org.eclipse.jface.text.BadLocationException;
import org.eclipse.jface.text.Document;
import org.eclipse.text.edits.TextEdit;

/**
 * Checks three rules: each source begins with its licence; Java has the layout of Eclipse's formatter; no line of Java
 * or Kotlin has more than 120 columns. With {@code write}, it changes the files instead, except for long lines that the
 * formatter cannot break. The layout of Kotlin is ktlint's task. It runs as a source file, since it runs before all
 * modules.
 */
final class Format {
  private static final String LICENCE = "SPDX-License-Identifier: Apache-2.0";
  private static final Set<String> NOT_OURS = Set.of("target", "node_modules", ".git", ".idea");
  private static final Pattern SOURCE = Pattern.compile(".*\\.(java|kts?|[ch]|cpp)");

  private static final Pattern LIMITED = Pattern.compile(".*\\.(java|kts?)");
  private static final int COLUMNS = 120;

  /** Matches a comma in a list of patterns after which the formatter puts no space (Eclipse 4.40). */
  private static final Pattern PATTERNS = Pattern.compile("(?m)(?<=^ {0,80}case .{0,400}) _,(?=\\w)");

  /**
   * Matches a list of patterns of more than 120 columns, up to the last comma within them. The formatter does not break
   * such a list (Eclipse 4.40).
   */
  private static final Pattern CASES = Pattern.compile("(?m)^(?=.{121})(?=( *)case )((?:(?!->).){1,119},) ");

  /** Matches a line of more than 120 columns with a blank at which it can be broken. A long address has no blank. */
  private static final Pattern LONG = Pattern.compile(" *(?:(?://|/?\\*+) *)?\\S+ .*");

  private final Map<String, String> options;

  private Format(Map<String, String> options) {
    this.options = options;
  }

  /** Runs the check. Arguments: the project's folder, the formatter's options, {@code check} or {@code write}. */
  public static void main(String[] args) throws IOException {
    Path project = Path.of(args[0]);
    boolean write = args[2].equals("write");
    var format = new Format(options(Path.of(args[1])));
    var wrong = new ConcurrentSkipListMap<String, String>();
    var tooLong = new ConcurrentSkipListMap<String, String>();
    sources(project).parallelStream().forEach(file -> format.apply(file, write, project, wrong, tooLong));
    wrong.forEach((file, what) -> System.err.println((write ? "written: " : "") + file + ": " + what));
    tooLong.forEach((file, lines) -> System.err.println(file + ": more than 120 columns in line " + lines));
    if (write) return;
    if (!wrong.isEmpty()) {
      System.err.println(
          wrong.size()
              + " files do not have the project's format; to write them: ./mvnw -pl format -Dformat=write verify");
    }
    if (!tooLong.isEmpty()) System.err.println(tooLong.size() + " files have lines that must be broken by hand");
    if (!wrong.isEmpty() || !tooLong.isEmpty()) System.exit(1);
  }

  private void apply(Path file, boolean write, Path project, Map<String, String> wrong, Map<String, String> tooLong) {
    try {
      String source = Files.readString(file);
      // Old C compilers know only this form of comment.
      String header = file.toString().endsWith(".h") ? "/* " + LICENCE + " */\n" : "// " + LICENCE + "\n";
      String code = source.startsWith(header) ? source.substring(header.length()) : source;
      String formatted = file.toString().endsWith(".java") ? formatted(file, code) : code;
      String result = header + formatted;
      String lines = longLines(file, result);
      if (!lines.isEmpty()) tooLong.put(project.relativize(file).toString(), lines);
      if (result.equals(source)) return;
      String what =
          formatted.equals(code) ? "does not begin with its licence"
              : "line " + (firstDifference(code, formatted) + 1) + " does not have the formatter's layout";
      wrong.put(project.relativize(file).toString(), what);
      if (write) Files.writeString(file, result);
    } catch (IOException | BadLocationException e) {
      throw new IllegalStateException(file.toString(), e);
    }
  }

  private String formatted(Path file, String source) throws BadLocationException {
    int kind = file.endsWith("module-info.java") ? CodeFormatter.K_MODULE_INFO : CodeFormatter.K_COMPILATION_UNIT;
    CodeFormatter formatter = ToolFactory.createCodeFormatter(options, ToolFactory.M_FORMAT_EXISTING);
    TextEdit edit = formatter.format(kind | CodeFormatter.F_INCLUDE_COMMENTS, source, 0, source.length(), 0, "\n");
    if (edit == null) throw new IllegalStateException(file + ": the formatter cannot parse the file");
    var document = new Document(source);
    edit.apply(document);
    String spaced = PATTERNS.matcher(document.get()).replaceAll(" _, ");
    return CASES.matcher(spaced).replaceAll("$2\n$1    ");
  }

  /** Returns the numbers of lines that are too long. */
  private static String longLines(Path file, String source) {
    if (!LIMITED.matcher(file.toString()).matches()) return "";
    List<String> lines = source.lines().toList();
    return IntStream.range(0, lines.size())
        .filter(i -> lines.get(i).codePoints().count() > COLUMNS && LONG.matcher(lines.get(i)).matches())
        .mapToObj(i -> String.valueOf(i + 1)).collect(Collectors.joining(", "));
  }

  private static int firstDifference(String a, String b) {
    List<String> left = a.lines().toList();
    List<String> right = b.lines().toList();
    int line = 0;
    while (line < left.size() && line < right.size() && left.get(line).equals(right.get(line))) line++;
    return line + 1;
  }

  private static Map<String, String> options(Path file) throws IOException {
    var own = new Properties();
    try (Reader reader = Files.newBufferedReader(file, UTF_8)) {
      own.load(reader);
    }
    Map<String, String> options = new HashMap<>(DefaultCodeFormatterConstants.getEclipseDefaultSettings());
    for (String name : own.stringPropertyNames()) {
      Object old = options.put("org.eclipse.jdt.core.formatter." + name, own.getProperty(name));
      if (old == null) throw new IllegalArgumentException(file + ": the formatter has no option " + name);
    }
    JavaCore.setComplianceOptions("25", options);
    return options;
  }

  private static List<Path> sources(Path project) throws IOException {
    var sources = new ArrayList<Path>();
    Files.walkFileTree(
        project,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return NOT_OURS.contains(folder.getFileName().toString()) ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (SOURCE.matcher(file.toString()).matches()) sources.add(file);
            return FileVisitResult.CONTINUE;
          }
        });
    return sources;
  }
}
