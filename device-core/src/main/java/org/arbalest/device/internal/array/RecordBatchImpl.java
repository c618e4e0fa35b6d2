// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;

/** The handle of an array of structs. See {@link RecordBatch}. */
public final class RecordBatchImpl extends DeviceArrayImpl implements RecordBatch {
  RecordBatchImpl(Device device, Field field, long struct, long offset, long length) {
    super(device, field, struct, offset, length);
  }

  private RecordBatchImpl(RecordBatchImpl of, Device device, long offset, long length) {
    super(of, device, offset, length);
  }

  @Override
  DeviceArrayImpl another(Device device, long offset, long length) {
    return new RecordBatchImpl(this, device, offset, length);
  }

  /** Returns the implementation of an array of structs. */
  public static RecordBatchImpl unwrap(DeviceArray batch) {
    return (RecordBatchImpl) batch;
  }

  @Override
  public Schema schema() {
    return FieldImpl.unwrap(field).schema();
  }

  @Override
  public RecordBatch retain() {
    return unwrap(super.retain());
  }

  @Override
  public RecordBatch move() {
    return unwrap(super.move());
  }

  @Override
  public RecordBatch slice(long from, long count) {
    return unwrap(super.slice(from, count));
  }
}
