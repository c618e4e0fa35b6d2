// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import org.arbalest.device.internal.abi.RawArrowSchema;
import org.arbalest.device.internal.exit.ExitAction;
import org.arbalest.device.internal.exit.ExitGuard;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.lifetime.RecycledExport;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * One exported schema, until the consumer releases it: the structs below the base struct, their lists and their
 * strings.
 *
 * <p>Each export writes them anew, because the consumer of a former export may have moved structs out. The consumer may
 * release children after their parent, as with arrays.
 */
public final class SchemaExport extends RecycledExport {
  /** The release callback of every schema that the library exports, as a native function. */
  static final long RELEASE =
      ExitGuard.stub(MethodHandles.lookup(), "released", FunctionDescriptor.ofVoid(JAVA_LONG),
          ExitAction.RELEASE_SCHEMA);

  private static final long NODE = RawArrowSchema.SIZE;
  private static final boolean[] NO_NODES = {};

  private static final Slots.Stack[] IDLE = stacks();

  /** Whether each struct is released. */
  private boolean[] released = NO_NODES;

  private int nextNode;
  private long nextList;
  private long text;

  /** The content of the base struct, between {@link #prepared} and {@link #handOver}. */
  private SchemaImage.@Nullable Node root;

  private long rootChildren;
  private long rootDictionary;

  private SchemaExport(Slots.Stack home) {
    super(home);
  }

  /** Exports a field to {@code out}; on failure it writes nothing (OWN-09). */
  public static void exportSchema(Field field, long out) {
    prepared(field).handOver(out);
  }

  /** Prepares an export of a field: runs every step that can fail. The caller hands it over or discards it. */
  public static SchemaExport prepared(Field field) {
    int nodes = 1 + Layout.of(field).descendants;
    if (nodes > Slots.MOST_NODES) {
      throw new IllegalArgumentException(
          "the schema has " + nodes + " fields; at most " + Slots.MOST_NODES + " can be exported");
    }
    SchemaImage image = FieldImpl.unwrap(field).image();
    SchemaExport export = take(image);
    export.holds(image.nodes);
    try {
      if (Leaks.isFollowed()) export.follow("a schema of type " + TypeNames.kind(field.type()));
      export.root = image.root;
      export.rootChildren = export.writeChildren(image.root);
      export.rootDictionary = export.writeDictionary(image.root);
      return export;
    } catch (Throwable t) { // the stack is exhausted
      export.discard();
      throw t;
    }
  }

  /** Writes the base struct. The consumer owns the schema from then on. This method cannot fail. */
  public void handOver(long out) {
    SchemaImage.Node node = root;
    root = null;
    if (node != null) describe(node, out, rootChildren, rootDictionary, handle);
  }

  /** Releases an export that no consumer received. */
  public void discard() {
    root = null;
    holds(0);
    recycle();
  }

  /** Returns an export with a slot, and with a block that contains the strings. All steps that can fail happen here. */
  private static SchemaExport take(SchemaImage image) {
    Slots.Stack home = mine(IDLE);
    SchemaExport export = (SchemaExport) takeIdle(home);
    if (export == null) {
      export = new SchemaExport(home);
      export.takeSlot();
    }
    try {
      export.prepare(image);
    } catch (Throwable t) {
      export.recycle();
      throw t;
    }
    return export;
  }

  private void prepare(SchemaImage image) {
    int below = image.nodes - 1;
    if (released.length <= below) released = new boolean[below + 1];
    ensure((NODE + Long.BYTES) * below + image.textBytes);
    Arrays.fill(released, 0, image.nodes, false);
    nextNode = 1;
    nextList = block + NODE * below;
    text = nextList + (long) Long.BYTES * below;
    image.writeText(text);
  }

  /** Writes the structs of the children, and their list. */
  private long writeChildren(SchemaImage.Node node) {
    SchemaImage.Node[] children = node.children;
    if (children.length == 0) return 0;
    long list = nextList;
    nextList += (long) Long.BYTES * children.length;
    for (int i = 0; i < children.length; i++) NativeHeap.putLong(list + (long) Long.BYTES * i, writeNext(children[i]));
    return list;
  }

  private long writeDictionary(SchemaImage.Node node) {
    return node.dictionary == null ? 0 : writeNext(node.dictionary);
  }

  private void describe(SchemaImage.Node node, long to, long children, long dictionary, long nodeHandle) {
    RawArrowSchema.setNChildren(to, node.children.length);
    RawArrowSchema.setChildren(to, children);
    RawArrowSchema.setDictionary(to, dictionary);
    RawArrowSchema.setFormat(to, text + node.format);
    RawArrowSchema.setName(to, text + node.name);
    RawArrowSchema.setMetadata(to, node.metadata < 0 ? 0 : text + node.metadata);
    RawArrowSchema.setFlags(to, node.flags);
    RawArrowSchema.setPrivateData(to, nodeHandle);
    RawArrowSchema.setRelease(to, RELEASE);
  }

  private long writeNext(SchemaImage.Node node) {
    int number = nextNode++;
    long to = block + NODE * (number - 1);
    long children = writeChildren(node);
    describe(node, to, children, writeDictionary(node), Slots.node(handle, number));
    return to;
  }

  @SuppressWarnings("UnusedMethod") // stub() finds it by name
  private static void released(long schema) {
    try {
      release(schema);
    } catch (Throwable t) {
      Faults.report("release of a schema", t);
    }
  }

  /** The release callback of every schema that the library exports; it runs on any thread. */
  public static void release(long schema) {
    if (RawArrowSchema.release(schema) == 0) return;
    long handle = RawArrowSchema.privateData(schema);
    if (!(Slots.find(handle) instanceof SchemaExport export)) {
      RawArrowSchema.setRelease(schema, 0);
      Faults.warn("a schema was released twice, through a copy of its struct");
      return;
    }
    if (export.isLeftBy(export.releaseTree(schema, handle))) export.recycle();
  }

  private int releaseTree(long schema, long nodeHandle) {
    RawArrowSchema.setRelease(schema, 0);
    int node = Slots.nodeOf(nodeHandle);
    if (released[node]) return 0;
    released[node] = true;
    int count = 1;
    long children = RawArrowSchema.nChildren(schema);
    for (long i = 0; i < children; i++) {
      count += releaseBelow(RawArrowSchema.child(schema, i));
    }
    long dictionary = RawArrowSchema.dictionary(schema);
    return dictionary == 0 ? count : count + releaseBelow(dictionary);
  }

  private int releaseBelow(long schema) {
    long release = RawArrowSchema.release(schema);
    if (release == 0) return 0;
    long nodeHandle = RawArrowSchema.privateData(schema);
    if (release == RELEASE && Slots.sameSlot(handle, nodeHandle)) return releaseTree(schema, nodeHandle);
    SchemaImporter.giveBack(schema);
    return 0;
  }
}
