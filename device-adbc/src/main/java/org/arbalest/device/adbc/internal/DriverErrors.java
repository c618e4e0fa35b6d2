// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.arbalest.device.Errno;
import org.arbalest.device.adbc.AdbcErrorDetail;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatus;
import org.jspecify.annotations.Nullable;

/** Conversions of a driver's errors to exceptions. */
final class DriverErrors {
  /** A limit above that of any driver. */
  private static final int MOST_DETAILS = 10_000;

  private static final int MOST_BYTES = 1 << 26;

  private DriverErrors() {}

  /** Returns the exception of a failed call. The caller still releases the error. */
  static AdbcException ofCall(DriverTable driver, String operation, @Nullable String sql, int status,
      MemorySegment error) {
    return read(driver, AdbcException.of(operation, status).driver(driver.name()).sql(sql), error);
  }

  /**
   * Returns the exception of a failed stream, from the driver's error for it or else from the stream's own error.
   *
   * @param of returns an exception without the driver's message, for a status
   * @param status zeroed memory for an {@code AdbcStatusCode}
   */
  static AdbcException ofStream(DriverTable driver, IntFunction<AdbcException.Builder> of, MemorySegment stream,
      int errno, MemorySegment status, String lastError) {
    MemorySegment function = driver.function(AdbcFunction.ERROR_FROM_ARRAY_STREAM);
    if (function != null) {
      status.set(JAVA_BYTE, 0, (byte) 0);
      MemorySegment address = errorOfStream(function, stream, status);
      int code = Byte.toUnsignedInt(status.get(JAVA_BYTE, 0));
      if (address.address() != 0 && code != 0) {
        MemorySegment error = address.reinterpret(ErrorStruct.LAYOUT.byteSize()); // the stream releases it
        return read(driver, of.apply(code).errno(errno), error);
      }
    }
    return of.apply(nearest(errno).code()).errno(errno).message(lastError).build();
  }

  private static MemorySegment errorOfStream(MemorySegment function, MemorySegment stream, MemorySegment status) {
    try {
      return Signatures.errorFromStream(function, stream, status);
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }

  /** Returns the status closest to an errno; if several match, the most specific one. */
  static AdbcStatus nearest(int errno) {
    if (errno == Errno.EIO) return AdbcStatus.IO;
    if (errno == Errno.ENOSYS) return AdbcStatus.NOT_IMPLEMENTED;
    if (errno == DriverErrno.EACCES) return AdbcStatus.UNAUTHORIZED;
    for (AdbcStatus status : AdbcStatus.values()) {
      if (status.errno() == errno) return status;
    }
    return AdbcStatus.UNKNOWN;
  }

  private static AdbcException read(DriverTable driver, AdbcException.Builder exception, MemorySegment error) {
    exception.message(ErrorStruct.message(error)).sqlState(ErrorStruct.sqlState(error));
    if (!ErrorStruct.hasDetails(error)) return vendorCode(exception, error).build();
    MemorySegment codeOf = driver.function(AdbcFunction.ERROR_GET_VENDOR_CODE);
    if (codeOf != null) {
      int code = vendorCode(codeOf, error);
      if (code != 0) exception.vendorCode(code);
    }
    List<AdbcErrorDetail> details = new ArrayList<>();
    try {
      details(driver, error, details);
    } catch (Throwable t) { // the exception still reports the call's failure, with the details read so far
      AdbcException failure = exception.details(details).build();
      failure.addSuppressed(t);
      return failure;
    }
    return exception.details(details).build();
  }

  private static int vendorCode(MemorySegment function, MemorySegment error) {
    try {
      return Signatures.detailCount(function, error);
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }

  /** Adds the database's own error number, if it is set. */
  static AdbcException.Builder vendorCode(AdbcException.Builder exception, MemorySegment error) {
    int code = ErrorStruct.vendorCode(error);
    return code == 0 || code == ErrorStruct.PRIVATE_DATA ? exception : exception.vendorCode(code);
  }

  private static void details(DriverTable driver, MemorySegment error, List<AdbcErrorDetail> details) {
    MemorySegment countOf = driver.function(AdbcFunction.ERROR_GET_DETAIL_COUNT);
    MemorySegment detailOf = driver.function(AdbcFunction.ERROR_GET_DETAIL);
    if (countOf == null || detailOf == null) return;
    try (Arena arena = Arena.ofConfined()) {
      int count = Math.min(Signatures.detailCount(countOf, error), MOST_DETAILS);
      for (int i = 0; i < count; i++) {
        var detail = Signatures.getDetail(detailOf, arena, error, i);
        MemorySegment key = detail.get(ADDRESS, 0);
        if (key.address() != 0)
          details.add(new AdbcErrorDetail(CText.read(key), bytes(detail.get(ADDRESS, 8), detail.get(JAVA_LONG, 16))));
      }
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }

  private static byte[] bytes(MemorySegment address, long length) {
    if (address.address() == 0) return new byte[0];
    if (length < 0 || length > MOST_BYTES)
      return ("of " + length + " bytes, as the driver says").getBytes(StandardCharsets.UTF_8);
    return address.reinterpret(length).toArray(JAVA_BYTE);
  }
}
