// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.languagetool.JLanguageTool;
import org.languagetool.Languages;
import org.languagetool.rules.Rule;
import org.languagetool.rules.RuleMatch;
import org.languagetool.rules.spelling.SpellingCheckRule;

/**
 * Runs LanguageTool over paragraphs and prints its findings, a line each. {@code LanguageToolEngineSpec} starts it as a
 * source file, because LanguageTool's libraries are not on the class path of any module.
 *
 * <p>Arguments: a file with a paragraph per line, {@code place TAB text}; the file of words that the project uses; the
 * file of rules that the project does not follow.
 */
final class Proofread {
  private Proofread() {}

  public static void main(String[] args) throws IOException {
    var tool = new JLanguageTool(Languages.getLanguageForShortCode("en-GB"));
    Set<String> ignored = new HashSet<>(lines(args[2]));
    for (Rule rule : tool.getAllActiveRules()) {
      if (rule instanceof SpellingCheckRule spelling) spelling.addIgnoreTokens(lines(args[1]));
      if (ignored.contains(rule.getId())) tool.disableRule(rule.getId());
    }
    for (String line : Files.readAllLines(Path.of(args[0]))) {
      int tab = line.indexOf('\t');
      String text = line.substring(tab + 1);
      for (RuleMatch match : tool.check(text)) {
        String found = text.substring(match.getFromPos(), match.getToPos());
        List<String> better = match.getSuggestedReplacements();
        System.out.println(line.substring(0, tab) + ": \"" + found + "\": " + match.getMessage() + " ["
            + match.getRule().getId() + "]" + (better.isEmpty() ? "" : " → " + better.get(0)));
      }
    }
  }

  /** Returns the lines of a file, without comments and empty lines. */
  private static List<String> lines(String file) throws IOException {
    return Files.readAllLines(Path.of(file)).stream().filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
  }
}
