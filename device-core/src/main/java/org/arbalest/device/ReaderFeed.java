package org.arbalest.device;

import org.jspecify.annotations.Nullable;

/** The arrays of a pull stream, of which one is pulled ahead, so that the end needs no demand (ASY-12). */
final class ReaderFeed implements Feed {
  private final DeviceArrayReader reader;
  private @Nullable DeviceArray next;
  private boolean finished;
  private @Nullable Throwable failure;
  private volatile boolean pulling;
  private volatile boolean interrupted;

  ReaderFeed(DeviceArrayReader reader) {
    this.reader = reader;
  }

  @Override
  public void start(AsyncExport export) {}

  @Override
  public void demand(long total) {}

  @Override
  public @Nullable DeviceArray poll() {
    pull();
    DeviceArray array = next;
    next = null;
    return array;
  }

  private void pull() {
    if (next != null || finished) return;
    pulling = true;
    try {
      if (interrupted) return;
      next = reader.next();
      finished = next == null;
    } catch (Throwable t) {
      failure = t;
      finished = true;
    } finally {
      pulling = false;
    }
  }

  @Override
  public boolean isFinished() {
    pull();
    return finished;
  }

  @Override
  public @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public void interrupt() {
    interrupted = true;
    if (pulling) reader.close(); // does not wait for the pull
  }

  @Override
  public void stop() {
    reader.close();
  }

  @Override
  public void discard() {
    DeviceArray rest = next;
    next = null;
    if (rest != null) rest.close();
  }
}
