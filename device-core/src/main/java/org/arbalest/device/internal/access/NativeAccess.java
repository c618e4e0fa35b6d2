// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.access;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether the JVM permits native calls by core ({@code --enable-native-access}), and makes the error message.
 *
 * <p>The check runs once, without making a class unusable. Each class that needs native calls checks here first, so
 * that each caller receives the same message, every time. Enabling native access later has no effect, because constants
 * depend on it.
 */
public final class NativeAccess {
  /** The service of a backend, by its name, because this package depends on no other. */
  private static final String PROVIDER = "org.arbalest.device.spi.DeviceProvider";

  private static final String ALL_UNNAMED = "ALL-UNNAMED";

  private static final Module CORE = NativeAccess.class.getModule();
  private static final boolean ENABLED = attempt();

  private NativeAccess() {}

  /**
   * Attempts a call that needs native access. The flag itself is not a reliable source: without
   * {@code --illegal-native-access=deny} the JVM only prints a warning.
   */
  private static boolean attempt() {
    try {
      MemorySegment.NULL.reinterpret(0);
      return true;
    } catch (IllegalCallerException _) {
      return false;
    }
  }

  public static boolean isEnabled() {
    return ENABLED;
  }

  /** Throws {@link #refusal} unless core may make native calls. */
  public static void require() {
    if (!ENABLED) throw refusal();
  }

  /**
   * Returns the exception for users who forgot the flag: the class that the JDK throws, with a message that names the
   * flag for their case.
   */
  public static IllegalCallerException refusal() {
    return new IllegalCallerException(why());
  }

  /** Returns a message that core may not make native calls, and what to do. */
  public static String why() {
    return why(CORE);
  }

  /** Returns the same message for a backend that failed for this reason; null if it failed for another reason. */
  public static @Nullable String whyRefused(Module backend, Throwable failure) {
    if (backend.isNativeAccessEnabled()) return null;
    for (Throwable t = failure; t != null; t = t.getCause()) {
      boolean isRefusal = t instanceof IllegalCallerException;
      // For a class that has become unusable, only the name of the original exception is known, from the message.
      if (isRefusal || String.valueOf(t.getMessage()).contains(IllegalCallerException.class.getName()))
        return why(backend);
    }
    return null;
  }

  private static String why(Module refused) {
    String who = refused.isNamed() ? "the module " + refused.getName() : "the class path";
    String why = "native access is not enabled for " + who + ": ";
    if (refused.isNamed() && refused.getLayer() != ModuleLayer.boot()) {
      return why
          + "the module is in a layer of its own; enable it with its ModuleLayer.Controller.enableNativeAccess before "
          + "the first call";
    }
    String flag = why + "start the JVM with --enable-native-access=" + String.join(",", modules(refused));
    return refused.isNamed() ? flag
        : flag + "; an executable jar may say Enable-Native-Access: " + ALL_UNNAMED + " in its manifest instead";
  }

  /** Returns the modules for the flag: core, the available backends, and the refused module. */
  private static Set<String> modules(Module refused) {
    Set<String> names = new TreeSet<>();
    names.add(name(CORE));
    names.add(name(refused));
    ModuleLayer layer = CORE.getLayer();
    if (layer == null) return names;
    for (Module module : layer.modules()) {
      if (module.getDescriptor().provides().stream().anyMatch(service -> service.service().equals(PROVIDER)))
        names.add(module.getName());
    }
    return names;
  }

  private static String name(Module module) {
    return module.isNamed() ? module.getName() : ALL_UNNAMED;
  }
}
