// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.Validation;
import org.arbalest.device.adbc.AdbcCatalog;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcInfo;
import org.arbalest.device.adbc.AdbcObjects;
import org.arbalest.device.adbc.AdbcStatement;
import org.arbalest.device.adbc.AdbcStatistic;
import org.arbalest.device.adbc.AdbcStatus;
import org.arbalest.device.adbc.AdbcWarning;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link AdbcConnection}. */
public final class ConnectionImpl extends HandleImpl implements AdbcConnection {
  /** The drivers and options of {@link #warnOfClose} so far. */
  private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

  /** The handler of the connection's warnings. Written under the connection lock. */
  private volatile @Nullable Warnings warnings;

  /**
   * The options that a lease has set, with their values before; empty if the driver does not report them. Null outside
   * of a lease. Guarded by the connection lock.
   */
  private final @Nullable Map<String, Optional<Object>> before;

  ConnectionImpl(DriverImpl driver, NativeHandle handle) {
    this(driver, handle, null);
  }

  private ConnectionImpl(DriverImpl driver, NativeHandle handle, @Nullable Map<String, Optional<Object>> before) {
    super(driver, handle, OptionFunctions.CONNECTION);
    this.before = before;
  }

  /**
   * Returns another handle of this connection, for one lease. {@link #takeBack} ends it; this handle is not used
   * meanwhile.
   */
  ConnectionImpl lease() {
    handle.hold();
    handle.lock.leased.begin();
    return new ConnectionImpl(driverImpl(), handle, new LinkedHashMap<>());
  }

  /**
   * Closes the handle of a lease, its statements and results.
   *
   * @return whether the connection can be used again: its user has not closed it, all is closed, and no call runs
   */
  boolean takeBack(ConnectionImpl lease) {
    boolean isOpen = lease.isOpen();
    try {
      lease.endLease();
      RuntimeException failure = handle.lock.leased.end();
      if (failure != null) throw failure;
      if (!isOpen || !handle.hasOneReference()) return false;
      if (lease.warnings != null) {
        setWarningHandler(null);
        lease.removeWarnings();
      }
      return true;
    } catch (RuntimeException e) {
      System.getLogger("org.arbalest.device.adbc").log(Level.WARNING,
          "ending a lease of a connection failed; the connection is closed", e);
      return false;
    }
  }

  /** Sets an option, and keeps its value before; that of autocommit is known. */
  @Override
  void set(String key, Object value, Runnable call) {
    if (key.equals(OptionFunctions.AUTOCOMMIT) && !value.equals("false"))
      DriverTransaction.requireNotFailed(handle, AdbcFunction.CONNECTION_SET_OPTION);
    if (before == null || key.equals(OptionFunctions.AUTOCOMMIT) || before.containsKey(key)) {
      call.run();
      return;
    }
    Optional<Object> kept = hasSearchPath(key) ? searchPath() : OptionFunctions.CONNECTION.getLike(handle, key, value);
    boolean hasSchema = key.equals(OptionFunctions.CATALOG) && !before.containsKey(OptionFunctions.DB_SCHEMA);
    Optional<Object> schema = hasSchema
        ? OptionFunctions.CONNECTION.getLike(handle, OptionFunctions.DB_SCHEMA, value) : Optional.empty();
    call.run();
    before.put(key, kept);
    if (schema.isPresent()) before.put(OptionFunctions.DB_SCHEMA, schema); // the catalog's may be another
  }

  /** Returns whether an option sets the search path of PostgreSQL, whose driver reports only its first schema. */
  private boolean hasSearchPath(String key) {
    return key.equals(OptionFunctions.DB_SCHEMA) && SessionSql.driver(handle) == KnownDriver.POSTGRESQL;
  }

  private Optional<Object> searchPath() {
    try {
      return Optional.of(SessionSql.text(handle, "SELECT current_setting('search_path')"));
    } catch (AdbcException _) {
      return Optional.empty();
    }
  }

  private void restoreOption(String key, Object value) {
    if (hasSearchPath(key)) SessionSql.execute(handle,
        "SELECT set_config('search_path', '" + value.toString().replace("'", "''") + "', false)");
    else OptionFunctions.CONNECTION.setAny(handle, key, value);
  }

  /** Sets the options that a lease has set to their values before; returns false if the driver does not report one. */
  boolean restoreOptions(ConnectionImpl lease) {
    Map<String, Optional<Object>> all = Objects.requireNonNull(lease.before);
    if (all.isEmpty()) return true;
    enter(false);
    try {
      for (Map.Entry<String, Optional<Object>> option : all.entrySet()) {
        if (option.getValue().isPresent()) continue;
        warnOfClose(option.getKey());
        return false;
      }
      Optional<Object> catalog = all.remove(OptionFunctions.CATALOG); // before the schema
      if (catalog != null) restoreOption(OptionFunctions.CATALOG, catalog.get());
      all.forEach((key, value) -> restoreOption(key, value.get()));
      return true;
    } finally {
      leave();
    }
  }

  /** Warns once for each option of a driver: each lease that sets it costs a connection. */
  private void warnOfClose(String key) {
    if (!WARNED.add(handle.driver.name() + " " + key)) return;
    System.getLogger("org.arbalest.device.adbc").log(Level.WARNING, "the driver " + handle.driver.name()
        + " does not report the option " + key + ", so that a connection on which a lease sets it is closed");
  }

  @Override
  public AdbcStatement createStatement() {
    enter(false);
    try {
      var statement = new StatementImpl(
          driverImpl(),
          NativeHandle.open(NativeHandle.Kind.STATEMENT, handle.driver, handle.lock, handle, new NewStatement()));
      handle.lock.leased.opened(statement);
      return statement;
    } finally {
      leave();
    }
  }

  private final class NewStatement implements NativeHandle.Opening {
    @Override
    public void make(NativeHandle statement) {
      handle.driver.call(AdbcFunction.STATEMENT_NEW,
          (f, error) -> Signatures.ppp(f, handle.struct, statement.struct, error));
    }

    @Override
    public void finish(NativeHandle statement) {}
  }

  @Override
  public RecordBatchReader readPartition(byte[] partition) {
    Objects.requireNonNull(partition, "partition");
    return read(
        block -> {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, partition);
            handle.execute(
                AdbcFunction.CONNECTION_READ_PARTITION, null, null,
                (f, error) -> Signatures.pplpp(f, handle.struct, bytes, (long) partition.length,
                    block.stream, error));
          }
        });
  }

  /** Returns a stream that the connection itself creates. */
  private RecordBatchReader read(ResultSource.Filling filling) {
    enter();
    try {
      var opening = new ResultSource.Opening(handle, handle, AdbcFunction.CONNECTION_CANCEL, null, false, false,
          null, Validation.STRUCTURAL);
      ResultSource opened = ResultSource.open(opening, filling);
      return opened == null ? RecordBatchReader.of(Schema.of(), List.of()) : opened.reader();
    } finally {
      leave();
    }
  }

  @Override
  public void setWarningHandler(@Nullable Consumer<? super AdbcWarning> handler) {
    Warnings added = handler == null ? null : Warnings.add(handler);
    MemorySegment function = added == null ? MemorySegment.NULL : Warnings.function();
    MemorySegment userData = added == null ? MemorySegment.NULL : added.userData();
    boolean isSet = false;
    try {
      enter(false);
      try {
        handle.call(AdbcFunction.CONNECTION_SET_WARNING_HANDLER, null, null,
            (f, error) -> Signatures.pppp(f, handle.struct, function, userData, error));
        isSet = true;
        removeWarnings();
        warnings = added;
        handle.afterRelease(this::removeWarnings);
      } finally {
        leave();
      }
    } finally {
      if (added != null && !isSet) added.remove();
    }
  }

  private void removeWarnings() {
    Warnings before = warnings;
    if (before != null) before.remove();
  }

  @Override
  public void cancel() {
    cancelCallOf(null);
  }

  @Override
  public void cancel(Thread caller) {
    cancelCallOf(Objects.requireNonNull(caller, "caller"));
  }

  private void cancelCallOf(@Nullable Thread caller) {
    whileOpen(() -> handle.cancel(caller));
  }

  /** Returns whether a call of this connection has failed since the last call of this method. */
  boolean takeFailure() {
    return handle.lock.record.takeFailure();
  }

  @Override
  public boolean isAutoCommit() {
    try {
      return getOption(OptionFunctions.AUTOCOMMIT).equals("true");
    } catch (AdbcException e) {
      if (e.status() != AdbcStatus.NOT_IMPLEMENTED && e.status() != AdbcStatus.NOT_FOUND) throw e;
      return handle.lock.record.isAutoCommit();
    }
  }

  @Override
  public void commit() {
    enter(false);
    try {
      DriverTransaction.requireNotFailed(handle, AdbcFunction.CONNECTION_COMMIT);
      call(AdbcFunction.CONNECTION_COMMIT);
    } finally {
      leave();
    }
  }

  @Override
  public void rollback() {
    call(AdbcFunction.CONNECTION_ROLLBACK);
  }

  /** Ends a transaction that is open, and switches autocommit on; returns whether the connection is usable. */
  boolean reset() {
    if (!isAutoCommit()) {
      rollback();
      setAutoCommit(true);
      return true;
    }
    enter(false);
    try {
      return DriverTransaction.endLeft(handle);
    } finally {
      leave();
    }
  }

  private void call(AdbcFunction function) {
    enter(false);
    try {
      handle.call(function, null, null, (f, error) -> Signatures.pp(f, handle.struct, error));
    } finally {
      leave();
    }
  }

  /** Returns all rows of metadata; other calls wait until they are read. */
  private List<MetadataRow> rows(AdbcFunction function, @Nullable String about, StreamCall call) {
    enter();
    try (Arena arena = Arena.ofConfined();
        var result = read(block -> handle.execute(function, about, null, call.into(arena, block.stream)))) {
      return MetadataRow.all(result, function.symbol());
    } finally {
      leave();
    }
  }

  /** A call that fills a stream struct. */
  @FunctionalInterface
  private interface StreamCall {
    DriverTable.Call into(Arena arena, MemorySegment stream);
  }

  @Override
  public AdbcInfo info(int... codes) {
    return Metadata.info(
        rows(
            AdbcFunction.CONNECTION_GET_INFO,
            null,
            (arena, stream) -> {
              MemorySegment numbers = codes.length == 0 ? MemorySegment.NULL : arena.allocateFrom(JAVA_INT, codes);
              return (f, error) -> Signatures.pplpp(f, handle.struct, numbers, (long) codes.length,
                  stream, error);
            }));
  }

  @Override
  public List<AdbcCatalog> objects(AdbcObjects which) {
    return rows(
        AdbcFunction.CONNECTION_GET_OBJECTS,
        which.table(),
        (arena, stream) -> {
          MemorySegment catalog = CText.writeOrNull(arena, "catalog", which.catalog());
          MemorySegment dbSchema = CText.writeOrNull(arena, "dbSchema", which.dbSchema());
          MemorySegment table = CText.writeOrNull(arena, "table", which.table());
          MemorySegment types = texts(arena, "tableTypes", which.tableTypes());
          MemorySegment column = CText.writeOrNull(arena, "column", which.column());
          int depth = which.depth().code();
          return (f, error) -> Signatures.pippppppp(f, handle.struct, depth, catalog, dbSchema,
              table, types, column, stream, error);
        })
        .stream()
        .map(Metadata::catalog)
        .toList();
  }

  /** Writes a list of C strings, terminated by NULL; returns NULL for null. */
  private static MemorySegment texts(Arena arena, String parameter, @Nullable List<String> texts) {
    if (texts == null) return MemorySegment.NULL;
    MemorySegment list = arena.allocate(ADDRESS, texts.size() + 1L);
    for (int i = 0; i < texts.size(); i++) list.setAtIndex(ADDRESS, i, CText.write(arena, parameter, texts.get(i)));
    return list;
  }

  @Override
  public Schema tableSchema(@Nullable String catalog, @Nullable String dbSchema, String table) {
    enter();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment inCatalog = CText.writeOrNull(arena, "catalog", catalog);
      MemorySegment inDbSchema = CText.writeOrNull(arena, "dbSchema", dbSchema);
      MemorySegment name = CText.write(arena, "table", table);
      MemorySegment out = ArrowSchemaStruct.allocate(arena);
      handle.call(
          AdbcFunction.CONNECTION_GET_TABLE_SCHEMA,
          table,
          null,
          (f, error) -> Signatures.pppppp(f, handle.struct, inCatalog, inDbSchema, name, out,
              error));
      return DriverSchemas.importSchema(out);
    } finally {
      leave();
    }
  }

  @Override
  public List<String> tableTypes() {
    return rows(AdbcFunction.CONNECTION_GET_TABLE_TYPES, null, this::fill).stream()
        .map(row -> row.textThatIsThere("table_type")).toList();
  }

  private DriverTable.Call fill(Arena arena, MemorySegment stream) {
    return (f, error) -> Signatures.ppp(f, handle.struct, stream, error);
  }

  @Override
  public List<AdbcStatistic> statistics(@Nullable String catalog, @Nullable String dbSchema, @Nullable String table,
      boolean mayBeApproximate) {
    return Metadata.statistics(
        rows(
            AdbcFunction.CONNECTION_GET_STATISTICS,
            table,
            (arena, stream) -> {
              MemorySegment inCatalog = CText.writeOrNull(arena, "catalog", catalog);
              MemorySegment inDbSchema = CText.writeOrNull(arena, "dbSchema", dbSchema);
              MemorySegment name = CText.writeOrNull(arena, "table", table);
              byte approximate = (byte) (mayBeApproximate ? 1 : 0);
              return (f, error) -> Signatures.ppppbpp(f, handle.struct, inCatalog, inDbSchema, name,
                  approximate, stream, error);
            }));
  }

  @Override
  public Map<Integer, String> statisticNames() {
    Map<Integer, String> names = new TreeMap<>();
    for (MetadataRow row : rows(AdbcFunction.CONNECTION_GET_STATISTIC_NAMES, null, this::fill)) {
      names.put(row.numberThatIsThere("statistic_key"), row.textThatIsThere("statistic_name"));
    }
    return Collections.unmodifiableMap(names);
  }
}
