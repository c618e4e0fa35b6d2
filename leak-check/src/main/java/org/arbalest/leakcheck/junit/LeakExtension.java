// SPDX-License-Identifier: Apache-2.0
package org.arbalest.leakcheck.junit;

import java.time.Duration;
import java.util.Optional;
import org.arbalest.leakcheck.LeakCheck;
import org.arbalest.leakcheck.LeakError;
import org.arbalest.leakcheck.LeakScope;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Fails a test that leaves a resource open, and a class whose set-up or tear-down does. A test that fails for another
 * reason is not checked.
 *
 * <p>{@link NoLeaks} registers the extension, and also keeps JUnit from running these tests in parallel. If a class
 * registers it without {@link NoLeaks}, a check throws an {@link IllegalStateException} while another one is in
 * progress.
 *
 * <p>The configuration parameter {@code org.arbalest.leakcheck.patience} gives the number of milliseconds to wait for
 * releases by other threads.
 */
public final class LeakExtension implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback {
  private static final String PATIENCE = "org.arbalest.leakcheck.patience";
  private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(LeakExtension.class);

  /** Creates the extension; JUnit calls this. */
  public LeakExtension() {}

  @Override
  public void beforeAll(ExtensionContext context) {
    if (scope(context).hasClasses()) begin(context);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    end(context);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    boolean isAsked = AnnotationSupport.isAnnotated(context.getTestMethod(), NoLeaks.class);
    if (isAsked || scope(context).hasTests()) begin(context);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    end(context);
  }

  private static void begin(ExtensionContext context) {
    ExtensionContext.Store store = context.getStore(NAMESPACE);
    LeakCheck around = store.get(LeakCheck.class, LeakCheck.class); // also finds those of the enclosing classes
    store.put(LeakCheck.class, LeakCheck.begin(name(context), around, true));
  }

  private static void end(ExtensionContext context) {
    LeakCheck check = context.getStore(NAMESPACE).remove(LeakCheck.class, LeakCheck.class); // in this store only
    if (check == null) return;
    if (context.getExecutionException().isPresent()) {
      check.giveUp();
      return;
    }
    LeakError left = check.end(patience(context));
    if (left != null) throw left;
  }

  private static String name(ExtensionContext context) {
    String className = context.getTestClass().map(Class::getSimpleName).orElse("");
    return context.getTestMethod().isPresent() ? className + ", " + context.getDisplayName() : className;
  }

  private static Duration patience(ExtensionContext context) {
    return context.getConfigurationParameter(PATIENCE, said -> Duration.ofMillis(Long.parseLong(said)))
        .orElse(LeakCheck.PATIENCE);
  }

  /** Returns the scope of the class, or of the nearest enclosing class with the annotation. */
  private static LeakScope scope(ExtensionContext context) {
    for (Class<?> type = context.getTestClass().orElse(null); type != null; type = type.getEnclosingClass()) {
      // also as a meta-annotation
      Optional<NoLeaks> annotation = AnnotationSupport.findAnnotation(type, NoLeaks.class);
      if (annotation.isPresent()) return annotation.get().value();
    }
    return LeakScope.TEST_AND_CLASS;
  }
}
