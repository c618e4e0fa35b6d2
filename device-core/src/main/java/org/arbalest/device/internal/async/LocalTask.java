// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import org.arbalest.device.RecordBatch;
import org.arbalest.device.async.AsyncTask;
import org.arbalest.device.types.Metadata;

/** A task that the application made, with an array that is already available. */
final class LocalTask extends AsyncTaskImpl {
  private final RecordBatch array;

  LocalTask(RecordBatch array, Metadata metadata) {
    super(metadata);
    this.array = array;
  }

  @Override
  public RecordBatch extract() {
    if (!consume()) throw alreadyConsumed();
    return array;
  }

  @Override
  public AsyncTask move() {
    if (!consume()) throw alreadyConsumed();
    return new LocalTask(array, metadata());
  }

  @Override
  public void close() {
    if (consume()) array.close();
  }
}
