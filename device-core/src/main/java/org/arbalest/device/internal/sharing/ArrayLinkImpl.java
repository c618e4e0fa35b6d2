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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.device.Worker;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.sharing.ArrayLink;
import org.arbalest.device.sharing.SharedArray;
import org.jspecify.annotations.Nullable;

/**
 * A link of two processes: frames over a socket. A frame carries an array with a number from its sender, or the number
 * of an array that was released, or the end of the arrays. See {@link ArrayLink}.
 *
 * <p>Each frame has the length of its payload, its kind, a number and the payload. Each end sends a greeting first. One
 * thread of the link reads and another one writes: an application's thread that is interrupted would close the socket.
 *
 * <p>The sender frees a sent array when the other end reports its release, or when the other end sends nothing more at
 * all. Therefore an end whose process lives closes the connection only when it holds no array of the other end. This is
 * also true if it does not understand the other end any more.
 */
@SuppressWarnings({"ArrayRecordComponent", "ReferenceEquality"}) // arrays are not compared; markers are, by identity
public final class ArrayLinkImpl implements ArrayLink {
  /** The text "ARBLINK1", lowest byte first. */
  private static final long GREETING = 0x314B4E494C425241L;

  private static final int HEADER = 2 * Integer.BYTES + Long.BYTES;
  private static final int MOST_BYTES = 64 << 20;
  private static final byte[] NO_BYTES = {};

  private static final int ARRAY = 1;
  private static final int RELEASED = 2;
  private static final int END = 3;

  private record Incoming(long number, byte[] message) {}

  /** The last entry. No entry follows it. */
  private static final Incoming NOTHING = new Incoming(0, NO_BYTES);

  /**
   * A frame to write, and the future that completes when it is written. An array's frame is taken by exactly one
   * thread: the thread that writes it, or the thread that reports that it will not be written.
   */
  private record Outgoing(int kind, long number, byte[] payload, CompletableFuture<@Nullable Void> written,
      AtomicBoolean isTaken) {
    Outgoing(int kind, long number, byte[] payload) {
      this(kind, number, payload, new CompletableFuture<>(), new AtomicBoolean());
    }

    boolean take() {
      return isTaken.compareAndSet(false, true);
    }
  }

  /** An entry that ends the writing. The frames of the other end are still read. */
  private static final Outgoing SHUT = new Outgoing(0, 0, NO_BYTES);

  /** An entry that ends the writing and the reading. */
  private static final Outgoing HANG_UP = new Outgoing(0, 0, NO_BYTES);

  private final LinkedBlockingQueue<Incoming> incoming = new LinkedBlockingQueue<>();
  private final LinkedBlockingQueue<Outgoing> outgoing = new LinkedBlockingQueue<>();
  private final SocketChannel channel;

  /**
   * A buffer for bytes that are no longer read as frames. They must be read to their end even if memory is short.
   * Therefore it is allocated at the start, outside the heap.
   */
  private final ByteBuffer ignored = ByteBuffer.allocateDirect(4096);

  /** Guards the following fields. No thread blocks while it holds this lock. */
  private final ReentrantLock state = new ReentrantLock();

  private final Map<Long, SharedArray> sent = new HashMap<>();
  private long lastSent;

  /** The number of the other process's arrays that this process has not released, including those not yet received. */
  private int received;

  private boolean isClosed;
  private boolean hasEnded;

  /** The other end sends nothing more, not even the end of the arrays. */
  private boolean isGone;

  /** Nothing more is written: everything was written, or the other end would not understand it. */
  private boolean isShut;

  /** The thread that writes has ended. */
  private boolean hasLeft;

  /** The reason why the other end is not understood any more, or why nothing can be written. */
  private @Nullable Throwable failure;

  private ArrayLinkImpl(SocketChannel channel) {
    this.channel = channel;
  }

  /** See {@link ArrayLink#over}. */
  public static ArrayLink over(SocketChannel channel) {
    if (!channel.isConnected())
      throw new IllegalArgumentException("a link needs a connected socket, but this is " + channel);
    if (!channel.isBlocking())
      throw new IllegalArgumentException("a link needs a blocking socket, but this is not: " + channel);
    Worker.RELEASES.start();
    ArrayLinkImpl link = new ArrayLinkImpl(channel);
    Thread.ofVirtual().name("arbalest-link-reader").start(link::read);
    Thread.ofVirtual().name("arbalest-link-writer").start(link::write);
    return link;
  }

  @Override
  public void send(DeviceArray array) throws IOException {
    requireOpen();
    array.synchronize();
    SharedArray shared = SharedArray.of(array);
    Outgoing frame = keep(shared);
    try {
      frame.written.get();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // the array is sent nevertheless
    } catch (ExecutionException e) {
      forget(frame.number);
      throw gone();
    }
    array.close();
  }

  private void requireOpen() throws IOException {
    state.lock();
    try {
      if (isClosed) throw new IllegalStateException("the link was closed");
      if (hasEnded) throw new IOException("the other process has closed its link");
      if (isGone || failure != null) throw gone();
    } finally {
      state.unlock();
    }
  }

  /** Keeps an array until the other end reports its release, and queues its frame. */
  private Outgoing keep(SharedArray shared) throws IOException {
    try {
      byte[] message = shared.message();
      if (message.length > MOST_BYTES) {
        throw new DeviceException(Errno.EINVAL,
            "a link carries messages of up to " + MOST_BYTES + " bytes, and this array's has " + message.length);
      }
      state.lock();
      try {
        requireOpen();
        Outgoing frame = new Outgoing(ARRAY, ++lastSent, message);
        try {
          sent.put(frame.number, shared);
          outgoing.add(frame);
        } catch (Throwable t) { // if there is too little memory
          sent.remove(frame.number);
          throw t;
        }
        return frame;
      } finally {
        state.unlock();
      }
    } catch (Throwable t) {
      shared.close();
      throw t;
    }
  }

  private void forget(long number) {
    SharedArray shared;
    state.lock();
    try {
      shared = sent.remove(number);
    } finally {
      state.unlock();
    }
    if (shared != null) free(shared);
    hangUpIfDone();
  }

  /**
   * Releases an array later, on the thread that runs the release callbacks of other libraries. The link continues
   * meanwhile.
   */
  private static void free(SharedArray shared) {
    Worker.RELEASES.submit(shared::close);
  }

  private IOException gone() {
    state.lock();
    try {
      if (failure == null) return new EOFException("the other process has hung up");
      return new IOException("the link has failed: " + failure.getMessage(), failure);
    } finally {
      state.unlock();
    }
  }

  @Override
  public @Nullable DeviceArray receive() throws IOException, InterruptedException {
    Incoming next = incoming.take();
    if (next == NOTHING) {
      incoming.add(NOTHING); // for other waiting threads
      state.lock();
      try {
        if (isClosed || hasEnded) return null;
        throw gone();
      } finally {
        state.unlock();
      }
    }
    return SharedArray.open(next.message, () -> outgoing.add(new Outgoing(RELEASED, next.number, NO_BYTES)));
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
    List<Incoming> unwanted = new ArrayList<>();
    state.lock();
    try {
      if (isClosed) return;
      isClosed = true;
      outgoing.add(new Outgoing(END, 0, NO_BYTES));
      incoming.drainTo(unwanted);
      incoming.add(NOTHING);
    } finally {
      state.unlock();
    }
    for (Incoming array : unwanted) {
      if (array != NOTHING) outgoing.add(new Outgoing(RELEASED, array.number, NO_BYTES));
    }
    hangUpIfDone();
  }

  /**
   * Ends the connection when neither end has an array of the other end any more. After a failure, only the other end
   * may still have arrays, and its frames are lost: then the end of the output reports that all arrays were released
   * here.
   */
  private void hangUpIfDone() {
    boolean isNobodyThere;
    state.lock();
    try {
      boolean isOver = isClosed || isGone || failure != null;
      if (!isOver || received > 0) return;
      if (sent.isEmpty()) {
        isShut = true;
        outgoing.add(HANG_UP);
      } else if (failure != null && !isShut) {
        isShut = true;
        outgoing.add(SHUT);
      }
      isNobodyThere = isGone || (hasLeft && failure != null);
    } finally {
      state.unlock();
    }
    if (isNobodyThere) hangUp(); // no process reads the remaining frames, or closes the connection in order
  }

  /**
   * Ends the output after everything is written. An end that is understood ends its output as well, and then the socket
   * is closed here. If the socket was closed at once with unread bytes in it, the connection would be reset. A reset
   * may lose bytes that the other end has not read yet.
   */
  private void leave() {
    boolean isUnderstood;
    state.lock();
    try {
      hasLeft = true;
      isUnderstood = !isGone && failure == null;
    } finally {
      state.unlock();
    }
    if (isUnderstood) shutOutput();
    else hangUp();
  }

  private void shutOutput() {
    try {
      channel.shutdownOutput();
    } catch (IOException _) { // the channel is closed already
      hangUp();
    }
  }

  private void hangUp() {
    try {
      channel.close(); // this ends the reader
    } catch (IOException e) {
      Faults.report("closing the socket of a link", e);
    }
  }

  /**
   * Notes that the connection cannot be used any more. The open arrays stay open, because the other process may still
   * be alive.
   */
  private void fail(Throwable why) {
    state.lock();
    try {
      boolean isFirst = failure == null;
      if (isFirst) failure = why;
      if (isFirst) incoming.add(NOTHING);
    } finally {
      state.unlock();
    }
    for (Outgoing frame : outgoing) { // no array's frame follows
      if (frame.kind == ARRAY && frame.take()) frame.written.completeExceptionally(why);
    }
    hangUpIfDone();
  }

  private void write() {
    try {
      writeAll(ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(GREETING).flip());
    } catch (Throwable t) {
      fail(t);
    }
    try {
      for (Outgoing next = outgoing.take(); next != HANG_UP; next = outgoing.take()) {
        if (next.kind != ARRAY || next.take()) write(next);
      }
    } catch (InterruptedException e) {
      Faults.report("a link's thread was interrupted", e);
    }
    leave();
  }

  /**
   * Writes a frame. Even if memory is short, waiting threads are notified, released arrays are counted, and this thread
   * goes on.
   */
  private void write(Outgoing frame) {
    try {
      tryToWrite(frame);
    } catch (Throwable t) {
      Faults.report("a link that has failed", t);
    }
  }

  private void tryToWrite(Outgoing frame) {
    try {
      if (frame == SHUT) {
        channel.shutdownOutput();
      } else {
        ByteBuffer bytes = ByteBuffer.allocate(HEADER + frame.payload.length).order(ByteOrder.LITTLE_ENDIAN);
        writeAll(bytes.putInt(frame.payload.length).putInt(frame.kind).putLong(frame.number).put(frame.payload).flip());
        frame.written.complete(null);
      }
    } catch (Throwable t) {
      try {
        fail(t);
      } finally {
        frame.written.completeExceptionally(t);
      }
    } finally {
      if (frame.kind == RELEASED) released();
    }
  }

  private void writeAll(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) channel.write(bytes);
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
    } catch (Throwable t) { // also if there is too little memory for a frame that the other end begins
      failAndWait(t);
    } finally {
      end();
    }
  }

  /** Fails, then waits until the other end sends nothing more. It sends as long as it has arrays open. */
  private void failAndWait(Throwable why) {
    try {
      fail(why);
    } finally {
      ignoreTheRest();
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // other threads continue and may free memory
  private void ignoreTheRest() {
    while (channel.isOpen()) {
      try {
        if (channel.read(ignored.clear()) < 0) return;
      } catch (IOException _) {
        return; // the channel is closed
      } catch (OutOfMemoryError _) { // too little memory to block; the arrays that the other end has open stay open
        Thread.yield();
      }
    }
  }

  private void greet() throws IOException {
    long greeting = need(Long.BYTES).getLong();
    if (greeting != GREETING) throw new IOException(
        "the other end of the socket is not a link of this version: it begins with 0x" + Long.toHexString(greeting));
  }

  /** Reads a frame. Returns false at the end. */
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
      default -> throw new IOException("the other process sent a frame of kind " + kind + ", which is unknown");
    }
    return true;
  }

  private void receive(Incoming array) {
    boolean isUnwanted;
    state.lock();
    try {
      // this end cannot report its release; the sender frees the array when this end closes
      if (failure != null || isShut) return;
      isUnwanted = isClosed;
      if (!isUnwanted) incoming.add(array);
      received++;
    } finally {
      state.unlock();
    }
    if (isUnwanted) outgoing.add(new Outgoing(RELEASED, array.number, NO_BYTES));
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

  /** Returns null if no more bytes come. */
  private @Nullable ByteBuffer read(int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) >= 0) continue;
      if (buffer.position() == 0) return null;
      throw new EOFException("the other process hung up after " + buffer.position() + " of " + bytes + " bytes");
    }
    return buffer.flip();
  }

  /**
   * Releases all sent arrays, because none of them is in use any more: the other process has ended, or it reported that
   * by the end of its output.
   */
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
    free.forEach(ArrayLinkImpl::free);
    incoming.add(NOTHING);
    hangUpIfDone();
  }

  /** Returns a text that contains the socket of the other end. */
  @Override
  public String toString() {
    return "link over " + channel;
  }
}
