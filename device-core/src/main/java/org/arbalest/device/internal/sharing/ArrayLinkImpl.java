// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.sharing;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.arbalest.device.ArrayLink;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.SharedArray;
import org.arbalest.device.internal.memory.Faults;
import org.jspecify.annotations.Nullable;

/**
 * Frames over a socket: an array, by a number of its sender's; that an array was released, by that number; the end of arrays. See {@link ArrayLink}.
 *
 * <p>Each frame is its payload's length, its kind and a number; both ends begin with a greeting. Whoever releases an array does not wait for the socket: a thread of
 * the link says it.
 */
@SuppressWarnings({"ArrayRecordComponent", "ReferenceEquality"}) // records that are only carried; the very same holder
public final class ArrayLinkImpl implements ArrayLink {
  /** "ARBLINK1", lowest byte first. */
  private static final long GREETING = 0x314B4E494C425241L;

  private static final int HEADER = 2 * Integer.BYTES + Long.BYTES;
  private static final int MOST_BYTES = 64 << 20;

  private static final int ARRAY = 1;
  private static final int RELEASED = 2;
  private static final int END = 3;

  /** Behind it nothing comes. */
  private static final Incoming NOTHING = new Incoming(0, new byte[0]);

  private record Incoming(long number, byte[] message) {}

  /** Who is to be told of a release, when there is nobody. */
  private static final long NOBODY = -1;

  /** What the other thread is to say: that an array was released. */
  private final LinkedBlockingQueue<Long> releases = new LinkedBlockingQueue<>();

  private final LinkedBlockingQueue<Incoming> incoming = new LinkedBlockingQueue<>();
  private final SocketChannel channel;

  /** One frame is written at a time, and the greeting before the first, whoever writes that. */
  private final ReentrantLock writing = new ReentrantLock();

  private boolean hasGreeted;

  /** Guards what follows; nothing is waited for under it. */
  private final ReentrantLock state = new ReentrantLock();

  private final Map<Long, SharedArray> sent = new HashMap<>();
  private long lastSent;

  /** Arrays of the other process that are not released here, received or not. */
  private int received;

  private boolean isClosed;
  private boolean hasEnded;
  private boolean isGone;
  private @Nullable IOException failure;

  private ArrayLinkImpl(SocketChannel channel) {
    this.channel = channel;
  }

  /** See {@link ArrayLink#over}. */
  public static ArrayLink over(SocketChannel channel) {
    if (!channel.isConnected()) throw new IllegalArgumentException("a link needs a connected socket, but this is " + channel);
    if (!channel.isBlocking()) throw new IllegalArgumentException("a link needs a blocking socket, but this is not: " + channel);
    ArrayLinkImpl link = new ArrayLinkImpl(channel);
    Thread.ofVirtual().name("arbalest-link-reader").start(link::read);
    Thread.ofVirtual().name("arbalest-link-writer").start(link::tellReleases);
    return link;
  }

  @Override
  public void send(DeviceArray array) throws IOException {
    requireOpen();
    array.synchronize();
    SharedArray shared = SharedArray.of(array);
    long number = keep(shared);
    try {
      write(ARRAY, number, shared.message());
    } catch (IOException | RuntimeException e) {
      forget(number);
      throw e;
    }
    array.close();
  }

  private void requireOpen() throws IOException {
    state.lock();
    try {
      if (isClosed) throw new IllegalStateException("the link was closed");
      if (hasEnded) throw new IOException("the other process has closed its link");
      if (isGone) throw gone();
    } finally {
      state.unlock();
    }
  }

  private long keep(SharedArray shared) throws IOException {
    state.lock();
    try {
      if (!isClosed && !isGone && !hasEnded) {
        sent.put(++lastSent, shared);
        return lastSent;
      }
    } finally {
      state.unlock();
    }
    shared.close();
    requireOpen();
    throw gone();
  }

  private void forget(long number) {
    SharedArray shared;
    state.lock();
    try {
      shared = sent.remove(number);
    } finally {
      state.unlock();
    }
    if (shared != null) shared.close();
    hangUpIfDone();
  }

  private IOException gone() {
    IOException why = failure;
    return why == null ? new EOFException("the other process has hung up") : new IOException("the other process is gone: " + why.getMessage(), why);
  }

  @Override
  public @Nullable DeviceArray receive() throws IOException, InterruptedException {
    Incoming next = incoming.take();
    if (next == NOTHING) {
      incoming.add(NOTHING); // for whoever else waits
      state.lock();
      try {
        if (isClosed || hasEnded) return null;
        throw gone();
      } finally {
        state.unlock();
      }
    }
    return SharedArray.open(next.message, () -> releases.add(next.number));
  }

  @Override
  public int unreleased() {
    state.lock();
    try {
      return sent.size();
    } finally {
      state.unlock();
    }
  }

  @Override
  public void close() {
    state.lock();
    try {
      if (isClosed) return;
      isClosed = true;
    } finally {
      state.unlock();
    }
    try {
      write(END, 0, new byte[0]);
    } catch (IOException _) { // then it is gone, which the reader sees as well
    }
    List<Incoming> unwanted = new ArrayList<>();
    incoming.drainTo(unwanted);
    incoming.add(NOTHING);
    for (Incoming array : unwanted) {
      if (array != NOTHING) releases.add(array.number);
    }
    hangUpIfDone();
  }

  /** Closes the connection when neither needs it any more. */
  private void hangUpIfDone() {
    state.lock();
    try {
      if (!isClosed || received > 0 || !sent.isEmpty()) return;
    } finally {
      state.unlock();
    }
    hangUp();
  }

  private void hangUp() {
    try {
      channel.close(); // the reader ends
    } catch (IOException e) {
      Faults.report("closing the socket of a link", e);
    }
  }

  private void write(int kind, long number, byte[] payload) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(HEADER + payload.length).order(ByteOrder.LITTLE_ENDIAN);
    frame.putInt(payload.length).putInt(kind).putLong(number).put(payload).flip();
    write(frame);
  }

  private void write(ByteBuffer bytes) throws IOException {
    writing.lock();
    try {
      if (!hasGreeted) writeAll(ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(GREETING).flip());
      hasGreeted = true;
      writeAll(bytes);
    } finally {
      writing.unlock();
    }
  }

  private void writeAll(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) channel.write(bytes);
  }

  private void tellReleases() {
    try {
      while (true) {
        long number = releases.take();
        if (number == NOBODY) return;
        try {
          write(RELEASED, number, new byte[0]);
        } catch (IOException _) { // it has no use for that any more
        }
        released();
      }
    } catch (InterruptedException e) {
      Faults.report("a link's thread was interrupted", e);
    }
  }

  private void released() {
    state.lock();
    try {
      received--;
    } finally {
      state.unlock();
    }
    hangUpIfDone();
  }

  private void read() {
    try {
      greet();
      while (readFrame()) {}
    } catch (IOException | RuntimeException e) {
      state.lock();
      try {
        failure = e instanceof IOException io ? io : new IOException(e);
      } finally {
        state.unlock();
      }
    } finally {
      end();
    }
  }

  private void greet() throws IOException {
    write(ByteBuffer.allocate(0));
    long greeting = need(Long.BYTES).getLong();
    if (greeting != GREETING) throw new IOException("the other end of the socket is no link of this version: it begins with 0x" + Long.toHexString(greeting));
  }

  /** False at the end. */
  private boolean readFrame() throws IOException {
    ByteBuffer header = read(HEADER);
    if (header == null) return false;
    int length = header.getInt();
    int kind = header.getInt();
    long number = header.getLong();
    if (length < 0 || length > MOST_BYTES || (kind != ARRAY && length > 0))
      throw new IOException("the other process sent a frame of kind " + kind + " with " + length + " bytes");
    switch (kind) {
      case ARRAY -> receive(new Incoming(number, need(length).array()));
      case RELEASED -> forget(number);
      case END -> noMore();
      default -> throw new IOException("the other process sent a frame of kind " + kind + ", which is none");
    }
    return true;
  }

  private void receive(Incoming array) {
    boolean isUnwanted;
    state.lock();
    try {
      received++;
      isUnwanted = isClosed;
      if (!isUnwanted) incoming.add(array);
    } finally {
      state.unlock();
    }
    if (isUnwanted) releases.add(array.number);
  }

  private void noMore() {
    state.lock();
    try {
      hasEnded = true;
    } finally {
      state.unlock();
    }
    incoming.add(NOTHING);
  }

  private ByteBuffer need(int bytes) throws IOException {
    ByteBuffer read = read(bytes);
    if (read == null) throw new EOFException("the other process hung up within a frame");
    return read;
  }

  /** Null if nothing comes any more. */
  private @Nullable ByteBuffer read(int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) >= 0) continue;
      if (buffer.position() == 0) return null;
      throw new EOFException("the other process hung up after " + buffer.position() + " of " + bytes + " bytes");
    }
    return buffer.flip();
  }

  /** The other process is gone, or both are done: nothing that was sent is in use any more. */
  private void end() {
    List<SharedArray> free;
    state.lock();
    try {
      isGone = true;
      free = new ArrayList<>(sent.values());
      sent.clear();
    } finally {
      state.unlock();
    }
    for (SharedArray shared : free) {
      try {
        shared.close();
      } catch (RuntimeException e) {
        Faults.report("freeing an array whose receiver is gone", e);
      }
    }
    incoming.add(NOTHING);
    releases.add(NOBODY);
    hangUp();
  }

  /** Who is at the other end. */
  @Override
  public String toString() {
    return "link over " + channel;
  }
}
