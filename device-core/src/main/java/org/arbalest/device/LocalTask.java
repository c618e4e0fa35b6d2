package org.arbalest.device;

/** A task made here, of an array that is there. */
final class LocalTask extends AsyncTask {
  private final DeviceArray array;

  LocalTask(DeviceArray array, Metadata metadata) {
    super(metadata);
    this.array = array;
  }

  @Override
  public DeviceArray extract() {
    if (!spend()) throw alreadySpent();
    return array;
  }

  @Override
  public AsyncTask move() {
    if (!spend()) throw alreadySpent();
    return new LocalTask(array, metadata());
  }

  @Override
  public void close() {
    if (spend()) array.close();
  }
}
