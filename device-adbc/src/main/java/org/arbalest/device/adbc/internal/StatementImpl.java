// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.Schema;
import org.arbalest.device.Validation;
import org.arbalest.device.abi.ArrowArrayStreamStruct;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.ArrowSchemaStruct;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcIngest;
import org.arbalest.device.adbc.AdbcPartitions;
import org.arbalest.device.adbc.AdbcStatement;
import org.jspecify.annotations.Nullable;

/** See {@link AdbcStatement}. */
public final class StatementImpl extends HandleImpl implements AdbcStatement {
  // Under the turn.
  private @Nullable String sql;
  private @Nullable BoundSource bound;
  private @Nullable ResultSource result;

  StatementImpl(DriverImpl driver, NativeHandle handle) {
    super(driver, handle, OptionFunctions.STATEMENT);
  }

  /** Takes the turn for something that ends the result before. */
  private void enterToChange() {
    enter();
    try {
      ResultSource before = result;
      result = null;
      if (before != null) before.end();
    } catch (Throwable t) {
      leave();
      throw t;
    }
  }

  @Override
  public void setSqlQuery(String query) {
    enterToChange();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = CText.write(arena, "sql", query);
      sql = query;
      handle.driver.call(AdbcFunction.STATEMENT_SET_SQL_QUERY, null, sql, (f, error) -> (byte) Signatures.PPP.invokeExact(f, handle.struct, text, error));
    } finally {
      leave();
    }
  }

  @Override
  public void setSubstraitPlan(byte[] plan) {
    Objects.requireNonNull(plan, "plan");
    enterToChange();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, plan);
      sql = null;
      handle.driver.call(
          AdbcFunction.STATEMENT_SET_SUBSTRAIT_PLAN, (f, error) -> (byte) Signatures.PPLP.invokeExact(f, handle.struct, bytes, (long) plan.length, error));
    } finally {
      leave();
    }
  }

  @Override
  public void setIngest(AdbcIngest target) {
    Objects.requireNonNull(target, "target");
    enterToChange();
    try {
      sql = null;
      OptionFunctions options = OptionFunctions.STATEMENT;
      options.set(handle, "adbc.ingest.target_table", target.table());
      options.set(handle, "adbc.ingest.mode", target.mode().value());
      if (target.catalog() != null) options.set(handle, "adbc.ingest.target_catalog", target.catalog());
      if (target.dbSchema() != null) options.set(handle, "adbc.ingest.target_db_schema", target.dbSchema());
      if (target.isTemporary()) options.set(handle, "adbc.ingest.temporary", "true");
    } finally {
      leave();
    }
  }

  @Override
  public void prepare() {
    enterToChange();
    try {
      handle.driver.call(AdbcFunction.STATEMENT_PREPARE, null, sql, (f, error) -> (byte) Signatures.PP.invokeExact(f, handle.struct, error));
    } finally {
      leave();
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
    enterToChange();
    try {
      return schema(AdbcFunction.STATEMENT_EXECUTE_SCHEMA);
    } finally {
      leave();
    }
  }

  private Schema schema(AdbcFunction function) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = ArrowSchemaStruct.allocate(arena);
      handle.driver.call(function, null, sql, (f, error) -> (byte) Signatures.PPP.invokeExact(f, handle.struct, out, error));
      return Schema.importSchema(out);
    }
  }

  @Override
  public void bind(DeviceArray rows) {
    try (rows) {
      rows.schema(); // a record batch
      enterToChange();
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment array = ArrowArrayStruct.allocate(arena);
        MemorySegment schema = ArrowSchemaStruct.allocate(arena);
        rows.exportArray(array, schema);
        try {
          handle.driver.call(
              AdbcFunction.STATEMENT_BIND, null, sql, (f, error) -> (byte) Signatures.PPPP.invokeExact(f, handle.struct, array, schema, error));
          bound = null;
        } catch (Throwable t) {
          release(ArrowArrayStruct.release(array.address()), array);
          throw t;
        } finally {
          release(ArrowSchemaStruct.release(schema.address()), schema); // unless the driver has taken it
        }
      } finally {
        leave();
      }
    }
  }

  @Override
  public void bind(DeviceArrayReader rows) {
    Objects.requireNonNull(rows, "rows");
    boolean isBound = false;
    try {
      rows.schema(); // record batches
      enterToChange();
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment stream = ArrowArrayStreamStruct.allocate(arena);
        var source = new BoundSource(rows, handle.turn);
        try (var reader = DeviceArrayReader.of(rows.field(), rows.deviceType(), source)) {
          reader.exportStream(stream);
        }
        try {
          handle.driver.call(AdbcFunction.STATEMENT_BIND_STREAM, null, sql, (f, error) -> (byte) Signatures.PPP.invokeExact(f, handle.struct, stream, error));
        } catch (Throwable t) {
          release(ArrowArrayStreamStruct.release(stream.address()), stream);
          throw t;
        }
        bound = source;
        isBound = true;
      } finally {
        leave();
      }
    } finally {
      if (!isBound) rows.close();
    }
  }

  private static void release(long function, MemorySegment struct) {
    if (function == 0) return;
    try {
      Signatures.RELEASE.invokeExact(MemorySegment.ofAddress(function), struct);
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }

  @Override
  public DeviceArrayReader executeQuery(Validation level) {
    Objects.requireNonNull(level, "level");
    enterToChange();
    try {
      var opening = new ResultSource.Opening(handle, AdbcFunction.STATEMENT_CANCEL, sql, bound, level);
      ResultSource opened = ResultSource.open(opening, block -> execute(block.stream, block.number, bound));
      if (opened == null) return DeviceArrayReader.of(Schema.of(), List.of());
      result = opened;
      return opened.reader();
    } finally {
      leave();
    }
  }

  @Override
  public long executeUpdate() {
    enterToChange();
    try (Arena arena = Arena.ofConfined();
        BoundSource fedBy = bound) { // closed here: a driver may release it much later
      bound = null;
      MemorySegment rows = arena.allocateFrom(JAVA_LONG, -1L);
      execute(MemorySegment.NULL, rows, fedBy);
      if (fedBy != null) fedBy.throwFailure(null);
      return rows.get(JAVA_LONG, 0);
    } finally {
      leave();
    }
  }

  private void execute(MemorySegment stream, MemorySegment rows, @Nullable BoundSource fedBy) {
    handle.turn.executes();
    try {
      handle.driver.call(
          AdbcFunction.STATEMENT_EXECUTE_QUERY, null, sql, (f, error) -> (byte) Signatures.PPPP.invokeExact(f, handle.struct, stream, rows, error));
    } catch (AdbcException e) {
      if (fedBy != null) fedBy.throwFailure(e);
      throw e;
    }
  }

  @Override
  public AdbcPartitions executePartitions() {
    enterToChange();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment schema = ArrowSchemaStruct.allocate(arena);
      MemorySegment partitions = arena.allocate(PartitionsStruct.LAYOUT);
      MemorySegment rows = arena.allocateFrom(JAVA_LONG, -1L);
      handle.turn.executes();
      handle.driver.call(
          AdbcFunction.STATEMENT_EXECUTE_PARTITIONS,
          null,
          sql,
          (f, error) -> (byte) Signatures.PPPPP.invokeExact(f, handle.struct, schema, partitions, rows, error));
      try {
        Schema type = ArrowSchemaStruct.release(schema.address()) == 0 ? null : Schema.importSchema(schema);
        return new AdbcPartitions(type, PartitionsStruct.read(partitions), rows.get(JAVA_LONG, 0));
      } finally {
        PartitionsStruct.release(partitions);
      }
    } finally {
      leave();
    }
  }

  @Override
  public void cancel() {
    whileOpen(() -> handle.driver.call(AdbcFunction.STATEMENT_CANCEL, (f, error) -> (byte) Signatures.PP.invokeExact(f, handle.struct, error)));
  }
}
