// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.Validation;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcIngest;
import org.arbalest.device.adbc.AdbcMultiResultSet;
import org.arbalest.device.adbc.AdbcPartitions;
import org.arbalest.device.adbc.AdbcStatement;
import org.arbalest.device.adbc.AdbcStatus;
import org.arbalest.device.async.AsyncArrayStream;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link AdbcStatement}. */
public final class StatementImpl extends HandleImpl implements AdbcStatement {
  // Written under the connection lock.
  private @Nullable String sql;

  /** The table of the ingestion; null without one. */
  private @Nullable String table;

  /** See {@link AdbcStatement#affectedRows}. */
  private volatile long affectedRows = -1;

  private boolean isPrepared;

  /** The parameters of the prepared query; null if they were not queried, or the driver does not report them. */
  private @Nullable Schema parameters;

  private boolean areParametersKnown;

  private final StatementBinding binding;
  private final IngestTarget target = new IngestTarget();
  private final PostgreSqlCopy copy = new PostgreSqlCopy(handle);

  /** The open result. The cancelling thread reads it. */
  private volatile @Nullable ResultSource result;

  /** The last async execution. Guarded by the connection lock. */
  private @Nullable AsyncExecution async;

  /** The open set of several results. The cancelling thread reads it. */
  private volatile @Nullable MultiResultSetImpl results;

  StatementImpl(DriverImpl driver, NativeHandle handle) {
    super(driver, handle, OptionFunctions.STATEMENT);
    this.binding = new StatementBinding(handle);
    handle.givesUpBy(this::giveUpBound);
  }

  @Override
  void set(String key, Object value, Runnable call) {
    super.set(key, value, call);
    if (key.equals(KnownDriver.USE_COPY)) copy.isSet(!value.equals("false"));
  }

  /** Takes the connection lock for a change that ends the previous result. */
  private void enterToChange(AdbcFunction change) {
    enter();
    try {
      endResult(change);
    } catch (Throwable t) {
      leave();
      throw t;
    }
  }

  /** Makes a call that ends the previous result. */
  private void change(AdbcFunction change, Runnable call) {
    enterToChange(change);
    try {
      call.run();
    } finally {
      leave();
    }
  }

  private void endResult(AdbcFunction by) {
    AsyncExecution running = async;
    if (running != null && running.isRunning()) throw new IllegalStateException(
        "the statement is executing asynchronously; close its stream and wait for released(), or use another "
            + "statement");
    async = null;
    ResultSource before = result;
    result = null;
    if (before != null) before.endBy(by);
    MultiResultSetImpl several = results;
    results = null;
    if (several != null) several.end(by);
  }

  @Override
  public void setSqlQuery(String query) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = CText.write(arena, "sql", query);
      enterToChange(AdbcFunction.STATEMENT_SET_SQL_QUERY);
      try {
        handle.driver.call(AdbcFunction.STATEMENT_SET_SQL_QUERY, null, query,
            (f, error) -> Signatures.ppp(f, handle.struct, text, error));
        sql = query;
        table = null;
        setPrepared(false);
      } finally {
        leave();
      }
    }
  }

  @Override
  public void setSubstraitPlan(byte[] plan) {
    Objects.requireNonNull(plan, "plan");
    enterToChange(AdbcFunction.STATEMENT_SET_SUBSTRAIT_PLAN);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, plan);
      handle.driver.call(
          AdbcFunction.STATEMENT_SET_SUBSTRAIT_PLAN,
          (f, error) -> Signatures.pplp(f, handle.struct, bytes, (long) plan.length, error));
      sql = null;
      table = null;
      setPrepared(false);
    } finally {
      leave();
    }
  }

  @Override
  public void setIngest(AdbcIngest ingest) {
    IngestTarget.checkNames(ingest);
    enter();
    try {
      target.checkThatNothingStays(ingest);
      endResult(AdbcFunction.STATEMENT_SET_OPTION);
      target.set(handle, ingest, () -> {
        sql = null;
        table = ingest.table();
        setPrepared(false);
      });
    } finally {
      leave();
    }
  }

  @Override
  public void prepare() {
    change(AdbcFunction.STATEMENT_PREPARE, () -> {
      handle.call(AdbcFunction.STATEMENT_PREPARE, null, sql,
          (f, error) -> Signatures.pp(f, handle.struct, error));
      setPrepared(true);
    });
  }

  /**
   * Returns whether an INSERT with many rows stores them faster than many of one row, and fails as a whole, like them:
   * by PostgreSQL's driver, in a transaction.
   */
  boolean storesManyRowsAtOnce() {
    enter();
    try {
      return !handle.lock.record.isAutoCommit() && KnownDriver.of(handle) == KnownDriver.POSTGRESQL;
    } finally {
      leave();
    }
  }

  @Override
  public void bindValues(@Nullable Object... values) {
    Parameters parameters = Parameters.of(values);
    if (parameters.count() == 0) throw new IllegalArgumentException("no values were passed for the parameters");
    bind(parameters.adapted(driverImpl()).build(knownParameters()));
  }

  private void setPrepared(boolean isNow) {
    isPrepared = isNow;
    parameters = null;
    areParametersKnown = false;
  }

  /**
   * Returns the parameters of a prepared query; null if the driver does not report them. They are queried once,
   * since PostgreSQL's driver queries its server twice for them.
   */
  private @Nullable Schema knownParameters() {
    enter();
    try {
      if (isPrepared && !areParametersKnown) {
        Schema reported = reportedParameters();
        parameters = reported == null ? null : Parameters.fields(reported);
        areParametersKnown = true;
      }
      return parameters;
    } finally {
      leave();
    }
  }

  private @Nullable Schema reportedParameters() {
    try {
      return schema(AdbcFunction.STATEMENT_GET_PARAMETER_SCHEMA);
    } catch (AdbcException e) {
      if (e.status() == AdbcStatus.NOT_IMPLEMENTED) return null;
      throw e;
    }
  }

  @Override
  public Schema parameterSchema() {
    enter();
    try {
      return schema(AdbcFunction.STATEMENT_GET_PARAMETER_SCHEMA);
    } finally {
      leave();
    }
  }

  @Override
  public Schema executeSchema() {
    enterToChange(AdbcFunction.STATEMENT_EXECUTE_SCHEMA);
    try {
      return schema(AdbcFunction.STATEMENT_EXECUTE_SCHEMA);
    } finally {
      leave();
    }
  }

  private Schema schema(AdbcFunction function) {
    return DriverSchemas.of(handle, function, sql);
  }

  @Override
  public void bind(RecordBatch rows) {
    try (rows) {
      var _ = rows.schema(); // throws unless rows is a record batch
      change(AdbcFunction.STATEMENT_BIND, () -> binding.bind(rows, table, sql));
    }
  }

  @Override
  public void bind(RecordBatchReader rows) {
    Objects.requireNonNull(rows, "rows");
    boolean isTaken = false;
    try {
      var _ = rows.schema(); // throws unless rows are record batches
      change(AdbcFunction.STATEMENT_BIND_STREAM, () -> binding.bind(rows, table, sql));
      isTaken = true;
    } finally {
      if (!isTaken) rows.close();
    }
  }

  @Override
  public RecordBatchReader executeQuery(Validation level) {
    Objects.requireNonNull(level, "level");
    ResultSource opened =
        executing(
            AdbcFunction.STATEMENT_EXECUTE_QUERY,
            fedBy -> {
              copy.choose(sql, binding.isBound());
              var opening =
                  new ResultSource.Opening(handle, handle, AdbcFunction.STATEMENT_CANCEL, sql, binding.isBound(),
                      copy.isOn(), fedBy, level);
              ResultSource made;
              try {
                made = ResultSource.open(opening, block -> execute(block.stream, block.number, fedBy));
              } catch (AdbcException e) { // from get_schema, which may be the first call to pull
                if (fedBy != null) fedBy.throwFailure(e);
                throw e;
              }
              result = made;
              if (made != null && binding.isInTransaction()) readAll(made);
              if (fedBy != null && fedBy.hasFailed()) {
                endResult(AdbcFunction.STATEMENT_EXECUTE_QUERY);
                fedBy.throwFailure(null);
              }
              return made;
            });
    return opened == null ? RecordBatchReader.of(Schema.of(), List.of()) : opened.reader();
  }

  private static void readAll(ResultSource made) {
    try {
      made.readAll();
    } catch (Throwable t) {
      made.end();
      throw t;
    }
  }

  @Override
  public AsyncArrayStream executeQueryAsync() {
    AsyncExecution started = executing(AdbcFunction.STATEMENT_EXECUTE_QUERY, fedBy -> {
      affectedRows = -1;
      AsyncExecution execution = AsyncExecution.start(driverImpl(), handle, sql, fedBy);
      async = execution;
      return execution;
    });
    return Objects.requireNonNull(started).stream;
  }

  @Override
  public AdbcMultiResultSet executeMulti() {
    return Objects.requireNonNull(executing(AdbcFunction.STATEMENT_EXECUTE_MULTI, this::multi));
  }

  @Override
  public List<Schema> executeSchemaMulti() {
    enterToChange(AdbcFunction.STATEMENT_EXECUTE_SCHEMA_MULTI);
    try {
      return MultiResultSetImpl
          .execute(handle, AdbcFunction.STATEMENT_EXECUTE_SCHEMA_MULTI, sql, binding.isBound(), null).schemas();
    } finally {
      leave();
    }
  }

  private MultiResultSetImpl multi(@Nullable BoundSource fedBy) {
    affectedRows = -1;
    try {
      MultiResultSetImpl made = MultiResultSetImpl.execute(handle, AdbcFunction.STATEMENT_EXECUTE_MULTI, sql,
          binding.isBound(), fedBy);
      results = made;
      return made;
    } catch (AdbcException e) {
      if (fedBy != null) fedBy.throwFailure(e);
      throw e;
    }
  }

  @Override
  public void requestSchema(Schema schema) {
    Objects.requireNonNull(schema, "schema");
    change(AdbcFunction.STATEMENT_REQUEST_SCHEMA,
        () -> DriverSchemas.pass(schema, handle, AdbcFunction.STATEMENT_REQUEST_SCHEMA, sql));
  }

  @Override
  public long executeUpdate() {
    Long affected =
        executing(
            AdbcFunction.STATEMENT_EXECUTE_QUERY,
            fedBy -> {
              try (Arena arena = Arena.ofConfined()) {
                execute(MemorySegment.NULL, arena.allocate(JAVA_LONG), fedBy);
                if (fedBy != null) fedBy.throwFailure(null);
                return affectedRows;
              }
            });
    return Objects.requireNonNull(affected);
  }

  /** Ends a failed execution. */
  private void endAfter(Throwable failure) {
    try {
      binding.executed(true, table != null);
    } catch (Throwable second) {
      failure.addSuppressed(second);
    }
  }

  /**
   * Runs an execution under the connection lock, with the bound source, which it uses up. The source is closed after
   * the execution, or by the result.
   */
  private <T> @Nullable T executing(AdbcFunction function, Function<@Nullable BoundSource, @Nullable T> execution) {
    enterToChange(function);
    try {
      binding.begin(table != null); // if this fails, the rows stay bound
    } catch (Throwable t) {
      leave();
      throw t;
    }
    BoundSource fedBy = binding.take();
    @Nullable T given;
    try {
      try {
        given = execution.apply(fedBy);
        binding.executed(false, table != null);
      } catch (Throwable t) {
        endAfter(t);
        throw t;
      } finally {
        leave();
      }
    } catch (Throwable t) {
      closeAfter(t, fedBy);
      throw t;
    }
    // The execution succeeded: an exception here would hide the number of stored rows.
    boolean isOpen = given instanceof ResultSource || given instanceof MultiResultSetImpl
        || given instanceof AsyncExecution;
    if (fedBy != null && !isOpen) DeferredReleases.run(fedBy::finish);
    return given;
  }

  private static void closeAfter(Throwable t, @Nullable BoundSource fedBy) {
    try {
      if (fedBy != null) fedBy.finish();
    } catch (RuntimeException second) {
      t.addSuppressed(second);
    }
  }

  private void execute(MemorySegment stream, MemorySegment rows, @Nullable BoundSource fedBy) {
    execute(AdbcFunction.STATEMENT_EXECUTE_QUERY, rows, fedBy,
        (f, error) -> Signatures.pppp(f, handle.struct, stream, rows, error));
  }

  /**
   * Executes, and stores the number of affected rows.
   *
   * @param rows memory for that number
   */
  private void execute(AdbcFunction function, MemorySegment rows, @Nullable BoundSource fedBy, DriverTable.Call call) {
    rows.set(JAVA_LONG, 0, -1L);
    affectedRows = -1;
    try {
      handle.execute(function, table, sql, call);
      if (fedBy == null || !fedBy.hasFailed()) affectedRows = rows.get(JAVA_LONG, 0);
    } catch (AdbcException e) {
      if (fedBy != null) fedBy.throwFailure(e);
      throw e;
    }
  }

  @Override
  public long affectedRows() {
    whileOpen(() -> {});
    return affectedRows;
  }

  @Override
  public AdbcPartitions executePartitions() {
    return Objects.requireNonNull(executing(AdbcFunction.STATEMENT_EXECUTE_PARTITIONS, this::partitions));
  }

  private AdbcPartitions partitions(@Nullable BoundSource fedBy) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment schema = ArrowSchemaStruct.allocate(arena);
      MemorySegment partitions = arena.allocate(PartitionsStruct.LAYOUT);
      MemorySegment rows = arena.allocate(JAVA_LONG);
      execute(
          AdbcFunction.STATEMENT_EXECUTE_PARTITIONS,
          rows,
          fedBy,
          (f, error) -> Signatures.ppppp(f, handle.struct, schema, partitions, rows, error));
      try {
        Schema type =
            ArrowSchemaStruct.releaseCallback(schema).address() == 0 ? null : DriverSchemas.importSchema(schema);
        if (fedBy != null) fedBy.throwFailure(null);
        return new AdbcPartitions(type, PartitionsStruct.read(partitions), affectedRows);
      } finally {
        PartitionsStruct.release(partitions);
      }
    }
  }

  @Override
  public void cancel() {
    whileOpen(() -> handle.cancel(null));
  }

  /**
   * Requests the reader to stop in whose pull the driver waits: there the driver does not notice a cancel. Returns
   * whether there was such a pull.
   */
  private boolean giveUpBound() {
    if (binding.giveUp()) return true;
    ResultSource pulled = result;
    if (pulled != null && pulled.giveUpBound()) return true;
    MultiResultSetImpl several = results;
    return several != null && several.giveUpBound();
  }
}
