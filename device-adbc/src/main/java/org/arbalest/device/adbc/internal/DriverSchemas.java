// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** Conversions of schemas from drivers. */
final class DriverSchemas {
  private DriverSchemas() {}

  /**
   * Calls a function of a statement that returns a schema. Requires the connection lock.
   *
   * @param sql the query of the statement, for errors
   */
  static Schema of(NativeHandle statement, AdbcFunction function, @Nullable String sql) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = ArrowSchemaStruct.allocate(arena);
      statement.call(function, null, sql,
          (f, error) -> Signatures.ppp(f, statement.struct, out, error));
      return importSchema(out);
    }
  }

  /** Passes a schema to a function of a statement; see {@link #of}. */
  static void pass(Schema schema, NativeHandle statement, AdbcFunction function, @Nullable String sql) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment struct = ArrowSchemaStruct.allocate(arena);
      CData.exportSchema(schema.asField(), struct);
      try {
        statement.call(function, null, sql,
            (f, error) -> Signatures.ppp(f, statement.struct, struct, error));
      } finally {
        StatementBinding.release(ArrowSchemaStruct.releaseCallback(struct), struct); // unless the driver has taken it
      }
    }
  }

  /** Reads the schema of batches, and releases it. The driver must ensure that it is the schema of a record batch. */
  static Schema importSchema(MemorySegment struct) {
    Field field = CData.importSchema(struct);
    if (field.type() instanceof StructType) return Schema.ofStruct(field);
    throw new DeviceException(Errno.EINVAL, "the schema of a record batch is a struct, not " + field.type());
  }
}
