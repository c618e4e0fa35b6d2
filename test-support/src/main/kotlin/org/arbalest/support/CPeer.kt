// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import org.arbalest.testkit.contract.Baseline
import java.lang.foreign.MemorySegment

/**
 * A C program on the other side of Arrow's C interfaces: its books.
 *
 * The peer is compiled from this module's C resources at first use; `peer/peer.h`, `checks/checks.h` and
 * `async/async.h` among them are its contract, and say more than is repeated here. What it makes and reads is in
 * [PeerNodes], [PeerStreams], [PeerProducer] and [PeerConsumer], what it does to structs of anyone in [PeerMoves].
 * Structs are segments of at least the struct's size, or raw pointers of size 0; their memory is the caller's. Every
 * function may be called from any thread, but not while [reset] runs.
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

    /** Lines `Struct.field offset` and `Struct size`, as the C compiler lays the eight structs out. */
    val layout: String get() = (layoutFunction.invoke() as MemorySegment).textAt()

    private val baseline = Baseline(7) { all().live() }

    /** Lets [counts] begin at zero for what is live now, such as the leak of an earlier test. */
    fun countFromHere(): Unit = baseline.begin()

    /**
     * Returns what the peer holds now and did not hold when the current test began, if its spec has a
     * [ResourceCountersExtension], and what was done to it since [reset].
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

    /** Zeroes what is counted since then, not what is live; shuts the gate. */
    fun reset() {
        resetFunction.invoke()
    }

    /** Lets through all who wait at the gate, until it is shut. */
    fun openGate() {
        gateOpen.invoke()
    }

    /** Shuts the gate, which starts shut. */
    fun shutGate() {
        gateShut.invoke()
    }

    /** The threads that wait at the gate now. */
    val waitingAtGate: Long get() = gateWaiting.invoke() as Long
}

/**
 * The C peer's books at one moment.
 *
 * The first seven are what is live: made by the peer and not released, children and dictionaries counted too.
 *
 * @property allocations every block and record of the peer's that was not given back
 * @property arrays arrays
 * @property schemas schemas
 * @property streams streams, device streams included
 * @property tasks tasks of a [PeerProducer] that were sent and neither extracted nor discarded
 * @property producers those that are not closed, and those with such tasks
 * @property handlers those of a [PeerConsumer] that is not closed
 * @property releaseCalls all calls of the peer's release functions since the reset, by anyone, repeated ones included
 * @property doubleReleases those of them that came for something released before
 * @property violations broken rules seen since the reset, without double releases
 * @property violation the first of them, or an empty text
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
