// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import org.arbalest.testkit.contract.Baseline
import java.lang.foreign.MemorySegment

/**
 * The counters and the gate of the C peer: a C program on the other side of Arrow's C interfaces.
 *
 * The peer is compiled from this module's C resources at first use. Its contract is in `peer/peer.h`, `checks/checks.h`
 * and `async/async.h`, with more details than here. [PeerNodes], [PeerStreams], [PeerProducer] and [PeerConsumer] make
 * and read data; [PeerMoves] acts on structs of any owner.
 *
 * Structs are segments of at least the struct's size, or raw pointers of size 0. The caller owns their memory. Any
 * thread may call any function, except while [reset] runs.
 */
object CPeer {
    private val layoutFunction by PeerLibrary.function("arbalest_layout", PTR)
    private val liveAllocations by PeerLibrary.function("peer_live_allocations", I64)
    private val liveArrays by PeerLibrary.function("peer_live_arrays", I64)
    private val liveSchemas by PeerLibrary.function("peer_live_schemas", I64)
    private val liveStreams by PeerLibrary.function("peer_live_streams", I64)
    private val liveTasks by PeerLibrary.function("peer_live_tasks", I64)
    private val liveProducers by PeerLibrary.function("peer_live_producers", I64)
    private val liveHandlers by PeerLibrary.function("peer_live_handlers", I64)
    private val releaseCalls by PeerLibrary.function("peer_release_calls", I64)
    private val doubleReleases by PeerLibrary.function("peer_double_releases", I64)
    private val violations by PeerLibrary.function("peer_violations", I64)
    private val violationText by PeerLibrary.function("peer_violation_text", PTR)
    private val resetFunction by PeerLibrary.function("peer_reset", null)
    private val gateOpen by PeerLibrary.function("peer_gate_open", null)
    private val gateShut by PeerLibrary.function("peer_gate_shut", null)
    private val gateWaiting by PeerLibrary.function("peer_gate_waiting", I64)

    /** Lines `Struct.field offset` and `Struct size`: the layout of the eight structs by the C compiler. */
    val layout: String get() = (layoutFunction.invoke() as MemorySegment).textAt()

    private val baseline = Baseline(7) { all().live() }

    /** Makes [counts] begin at zero for the present live objects, such as the leak of an earlier test. */
    fun countFromHere(): Unit = baseline.begin()

    /**
     * Returns the counters of the peer: its live objects since the current test began, if its spec has a
     * [ResourceCountersExtension], and the calls of its functions since [reset].
     */
    fun counts(): PeerCounts = all().with(baseline.now())

    private fun all(): PeerCounts = PeerCounts(
        allocations = liveAllocations.invoke() as Long,
        arrays = liveArrays.invoke() as Long,
        schemas = liveSchemas.invoke() as Long,
        streams = liveStreams.invoke() as Long,
        tasks = liveTasks.invoke() as Long,
        producers = liveProducers.invoke() as Long,
        handlers = liveHandlers.invoke() as Long,
        releaseCalls = releaseCalls.invoke() as Long,
        doubleReleases = doubleReleases.invoke() as Long,
        violations = violations.invoke() as Long,
        violation = (violationText.invoke() as MemorySegment).textAt(),
    )

    /** Sets the counters of calls to zero, but not those of live objects. Shuts the gate. */
    fun reset() {
        resetFunction.invoke()
    }

    /** Lets all threads at the gate through, until it is shut. */
    fun openGate() {
        gateOpen.invoke()
    }

    /** Shuts the gate. At the start it is shut. */
    fun shutGate() {
        gateShut.invoke()
    }

    /** The number of threads that wait at the gate now. */
    val waitingAtGate: Long get() = gateWaiting.invoke() as Long
}

/**
 * The C peer's counters at one moment.
 *
 * The first seven count live objects: the peer made them, and they are not released. Children and dictionaries are
 * included.
 *
 * @property allocations the peer's blocks and records that were not freed
 * @property arrays arrays
 * @property schemas schemas
 * @property streams streams, device streams included
 * @property tasks tasks of a [PeerProducer] that were sent and neither extracted nor discarded
 * @property producers producers that are not closed, or that have such tasks
 * @property handlers handlers of a [PeerConsumer] that is not closed
 * @property releaseCalls all calls of the peer's release functions since the reset, by any caller, repeated ones
 *     included
 * @property doubleReleases the calls among them for an object that was released before
 * @property violations broken rules seen since the reset, without double releases
 * @property violation the first broken rule, or an empty text
 */
data class PeerCounts(
    val allocations: Long,
    val arrays: Long,
    val schemas: Long,
    val streams: Long,
    val tasks: Long,
    val producers: Long,
    val handlers: Long,
    val releaseCalls: Long,
    val doubleReleases: Long,
    val violations: Long,
    val violation: String,
) {
    fun live(): List<Long> = listOf(allocations, arrays, schemas, streams, tasks, producers, handlers)

    fun with(live: List<Long>): PeerCounts = copy(
        allocations = live[0],
        arrays = live[1],
        schemas = live[2],
        streams = live[3],
        tasks = live[4],
        producers = live[5],
        handlers = live[6],
    )
}
