// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.Schema;
import org.arbalest.device.Validation;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcStatement;

/** See {@link AdbcConnection}. */
public final class ConnectionImpl extends HandleImpl implements AdbcConnection {
  ConnectionImpl(DriverImpl driver, NativeHandle handle) {
    super(driver, handle, OptionFunctions.CONNECTION);
  }

  @Override
  public AdbcStatement createStatement() {
    enter();
    try {
      return new StatementImpl(
          driverImpl(), NativeHandle.open(NativeHandle.Kind.STATEMENT, handle.driver, handle.turn, handle, new NewStatement()));
    } finally {
      leave();
    }
  }

  private final class NewStatement implements NativeHandle.Opening {
    @Override
    public void make(NativeHandle statement) {
      handle.driver.call(AdbcFunction.STATEMENT_NEW, (f, error) -> (byte) Signatures.PPP.invokeExact(f, handle.struct, statement.struct, error));
    }

    @Override
    public void finish(NativeHandle statement) {}
  }

  @Override
  public DeviceArrayReader readPartition(byte[] partition) {
    Objects.requireNonNull(partition, "partition");
    return read(
        block -> {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, partition);
            handle.driver.call(
                AdbcFunction.CONNECTION_READ_PARTITION,
                (f, error) -> (byte) Signatures.PPLPP.invokeExact(f, handle.struct, bytes, (long) partition.length, block.stream, error));
          }
        });
  }

  /** A stream that the connection itself gives. */
  private DeviceArrayReader read(ResultSource.Filling filling) {
    enter();
    try {
      var opening = new ResultSource.Opening(handle, AdbcFunction.CONNECTION_CANCEL, null, null, Validation.STRUCTURAL);
      ResultSource opened = ResultSource.open(opening, filling);
      return opened == null ? DeviceArrayReader.of(Schema.of(), List.of()) : opened.reader();
    } finally {
      leave();
    }
  }

  @Override
  public void cancel() {
    whileOpen(() -> handle.driver.call(AdbcFunction.CONNECTION_CANCEL, (f, error) -> (byte) Signatures.PP.invokeExact(f, handle.struct, error)));
  }
}
