package org.arbalest.device.internal.schema;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.atomic.AtomicInteger;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Field;
import org.arbalest.device.Metadata;
import org.arbalest.device.abi.ArrowSchemaStruct;
import org.arbalest.device.internal.calls.Afterwards;
import org.arbalest.device.internal.calls.ExitGuard;
import org.arbalest.device.internal.lifetime.HeldByC;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Slots;

/**
 * One schema that C holds: the structs below the base struct, their lists and their strings, in one block, and how many of the structs are
 * not yet released. Children may be moved out and released later, like those of an array.
 */
public final class SchemaExport implements HeldByC {
  /** The release callback of every schema of ours, for C. */
  static final long RELEASE =
      ExitGuard.stub(MethodHandles.lookup(), "released", FunctionDescriptor.ofVoid(JAVA_LONG), Afterwards.RELEASE_SCHEMA);

  private static final long NODE = ArrowSchemaStruct.SIZE;

  private final long block;
  private final AtomicInteger live;
  private final boolean[] released;
  private long tag;
  private int nextNode = 1;
  private long nextList;
  private long nextText;

  private SchemaExport(int nodes, long textBytes) {
    this.live = new AtomicInteger(nodes);
    this.released = new boolean[nodes];
    this.block = NativeHeap.allocate((NODE + Long.BYTES) * (nodes - 1) + textBytes);
    this.nextList = block + NODE * (nodes - 1);
    this.nextText = nextList + (long) Long.BYTES * (nodes - 1);
  }

  /** Exports a field to {@code out}; on failure {@code out} is a released struct (OWN-09). */
  public static void exportSchema(Field field, long out) {
    NativeHeap.fill(out, NODE, (byte) 0); // some consumers look at the fields although get_schema failed
    int nodes = 1 + Layout.of(field).descendants;
    if (nodes > Slots.MOST_NODES) {
      throw DeviceException.invalid("the schema has " + nodes + " fields; at most " + Slots.MOST_NODES + " can be exported");
    }
    SchemaExport export = new SchemaExport(nodes, textBytes(field));
    try {
      export.tag = Slots.take(export);
    } catch (Throwable t) {
      NativeHeap.free(export.block);
      throw t;
    }
    try {
      export.write(field, out, export.tag);
    } catch (Throwable t) {
      ArrowSchemaStruct.setRelease(out, 0);
      Slots.leave(export.tag);
      NativeHeap.free(export.block);
      throw t;
    }
  }

  private static long textBytes(Field field) {
    long bytes = utf8(Layout.of(field).format).length + 1L + utf8(field.name()).length + 1L + MetadataCodec.size(field.metadata());
    for (Field child : Layout.of(field).children) bytes += textBytes(child);
    Field dictionary = Layout.of(field).dictionary;
    return dictionary == null ? bytes : bytes + textBytes(dictionary);
  }

  private void write(Field field, long to, long nodeTag) {
    Field[] children = Layout.of(field).children;
    long list = nextList;
    nextList += (long) Long.BYTES * children.length;
    ArrowSchemaStruct.setNChildren(to, children.length);
    ArrowSchemaStruct.setChildren(to, children.length == 0 ? 0 : list);
    for (int i = 0; i < children.length; i++) {
      ArrowSchemaStruct.setChild(to, i, writeNext(children[i]));
    }
    Field dictionary = Layout.of(field).dictionary;
    ArrowSchemaStruct.setDictionary(to, dictionary == null ? 0 : writeNext(dictionary));
    ArrowSchemaStruct.setFormat(to, text(Layout.of(field).format));
    ArrowSchemaStruct.setName(to, text(field.name()));
    ArrowSchemaStruct.setMetadata(to, metadata(field.metadata()));
    ArrowSchemaStruct.setFlags(to, field.flags());
    ArrowSchemaStruct.setPrivateData(to, nodeTag);
    ArrowSchemaStruct.setRelease(to, RELEASE);
  }

  private long writeNext(Field field) {
    int node = nextNode++;
    long to = block + NODE * (node - 1);
    write(field, to, Slots.node(tag, node));
    return to;
  }

  private long text(String text) {
    byte[] bytes = utf8(text);
    long at = nextText;
    NativeHeap.putBytes(at, bytes);
    NativeHeap.putByte(at + bytes.length, (byte) 0);
    nextText += bytes.length + 1L;
    return at;
  }

  private long metadata(Metadata metadata) {
    if (metadata.isEmpty()) return 0;
    long at = nextText;
    nextText = MetadataCodec.write(metadata, at);
    return at;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(UTF_8);
  }

  @SuppressWarnings("UnusedMethod") // stub() finds it by name
  private static void released(long schema) {
    try {
      release(schema);
    } catch (Throwable t) {
      Faults.report("release of a schema", t);
    }
  }

  /** The release callback of every schema of ours; runs on any thread. */
  public static void release(long schema) {
    if (ArrowSchemaStruct.release(schema) == 0) return;
    long tag = ArrowSchemaStruct.privateData(schema);
    if (!(Slots.find(tag) instanceof SchemaExport export)) {
      ArrowSchemaStruct.setRelease(schema, 0);
      Faults.warn("a schema was released that had been released before, through a copy of its struct");
      return;
    }
    int released = export.releaseTree(schema, tag);
    if (released != 0 && export.live.addAndGet(-released) == 0) {
      Slots.leave(export.tag);
      NativeHeap.free(export.block);
    }
  }

  private int releaseTree(long schema, long nodeTag) {
    ArrowSchemaStruct.setRelease(schema, 0);
    int node = Slots.nodeOf(nodeTag);
    if (released[node]) return 0;
    released[node] = true;
    int count = 1;
    long children = ArrowSchemaStruct.nChildren(schema);
    for (long i = 0; i < children; i++) {
      count += releaseBelow(ArrowSchemaStruct.child(schema, i));
    }
    long dictionary = ArrowSchemaStruct.dictionary(schema);
    return dictionary == 0 ? count : count + releaseBelow(dictionary);
  }

  private int releaseBelow(long schema) {
    long release = ArrowSchemaStruct.release(schema);
    if (release == 0) return 0;
    long nodeTag = ArrowSchemaStruct.privateData(schema);
    if (release == RELEASE && Slots.sameSlot(tag, nodeTag)) return releaseTree(schema, nodeTag);
    SchemaImporter.giveBack(schema);
    return 0;
  }

  @Override
  public Kind heldAs() {
    return Kind.EXPORT;
  }
}
