// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.arbalest.device.adbc.AdbcDatabase;
import org.arbalest.device.adbc.AdbcDriver;
import org.arbalest.device.adbc.AdbcDriverSearch;
import org.arbalest.device.adbc.AdbcOption;
import org.arbalest.device.adbc.AdbcVersion;
import org.arbalest.device.adbc.DuckDbDriver;
import org.jspecify.annotations.Nullable;

/** A loaded driver. */
public final class DriverImpl implements AdbcDriver {
  private final String name;
  private final DriverLibrary.EntryPoint init;
  private final AdbcVersion requested;
  private final AdbcVersion version;
  private final boolean isPostgreSql;

  /**
   * Creates a driver.
   *
   * @param requested the version that its tables are requested with
   * @param version the version that the driver supports
   */
  private DriverImpl(String name, DriverLibrary.EntryPoint init, AdbcVersion requested, AdbcVersion version) {
    this.name = name;
    this.init = init;
    this.requested = requested;
    this.version = version;
    this.isPostgreSql = init.library().find("AdbcDriverPostgresqlInit").isPresent();
  }

  /**
   * Loads a library; see {@link AdbcDriver#load(Path)}. Without an entry point, the init function has a recommended
   * name.
   */
  public static DriverImpl load(Path library, @Nullable String entryPoint) {
    requireNativeAccess();
    String name = String.valueOf(library.getFileName());
    return load(name, DriverLibrary.entryPoint(DriverLibrary.load(library), name, entryPoint), AdbcVersion.V1_1_0);
  }

  /** Finds a driver; see {@link AdbcDriver#load(String, AdbcDriverSearch)}. Tests may give another platform. */
  public static DriverImpl load(Platform platform, String driver, AdbcDriverSearch search) {
    Objects.requireNonNull(driver, "driver");
    Objects.requireNonNull(search, "search");
    requireNativeAccess();
    DriverFinder.Found found = DriverFinder.find(platform, driver, search);
    return load(found.name(), found.init(), AdbcVersion.V1_1_0);
  }

  /** Checks that the library is a usable driver, and reads its version. */
  private static DriverImpl load(String name, DriverLibrary.EntryPoint init, AdbcVersion requested) {
    DriverTable table = DriverTable.init(name, init.name(), init.function(), requested);
    try {
      return new DriverImpl(name, init, requested, table.version());
    } finally {
      table.release();
    }
  }

  private static void requireNativeAccess() {
    try {
      MemorySegment.NULL.reinterpret(0);
    } catch (IllegalCallerException e) {
      Module module = DriverImpl.class.getModule();
      String name = module.isNamed() ? module.getName() : "ALL-UNNAMED";
      throw new IllegalCallerException(
          "an ADBC driver is native code: start the JVM with --enable-native-access=" + name
              + ", in addition to the modules that are named there",
          e);
    }
  }

  @Override
  public String name() {
    return name;
  }

  /**
   * Returns whether the driver executes a query for one bound row only. The status of its error is not enough to find
   * out: another driver may report that status after it has executed some rows.
   */
  boolean bindsOneRow() {
    return init.name().equals(DuckDbDriver.ENTRY_POINT);
  }

  /** Returns whether this is Apache's driver of PostgreSQL, which exports an entry point of its own name. */
  boolean isPostgreSql() {
    return isPostgreSql;
  }

  @Override
  public AdbcVersion version() {
    return version;
  }

  @Override
  public AdbcDriver request(AdbcVersion later) {
    return load(name, init, Objects.requireNonNull(later, "version"));
  }

  @Override
  public List<AdbcOption> options(AdbcOption.Level level) {
    return OptionsList.of(name, exported(OptionsList.SYMBOL), Objects.requireNonNull(level, "level"));
  }

  /** Returns a function that the library exports, beside its table; null if it does not. */
  @Nullable
  MemorySegment exported(String symbol) {
    return version == AdbcVersion.V1_2_0 ? init.library().find(symbol).orElse(null) : null;
  }

  @Override
  public AdbcDatabase open(Map<String, ?> options) {
    Objects.requireNonNull(options, "options");
    DriverTable table = DriverTable.init(name, init.name(), init.function(), requested);
    return new DatabaseImpl(
        this,
        NativeHandle.open(
            NativeHandle.Kind.DATABASE,
            table,
            new ConnectionLock(),
            null,
            new NativeHandle.Opening() {
              @Override
              public void make(NativeHandle handle) {
                table.call(AdbcFunction.DATABASE_NEW,
                    (f, error) -> Signatures.pp(f, handle.struct, error));
              }

              @Override
              public void finish(NativeHandle handle) {
                options.forEach((key, value) -> OptionFunctions.DATABASE.setAny(handle, key, value));
                table.call(AdbcFunction.DATABASE_INIT,
                    (f, error) -> Signatures.pp(f, handle.struct, error));
              }
            }));
  }

  @Override
  public String toString() {
    return "ADBC driver " + name + " of " + version;
  }
}
