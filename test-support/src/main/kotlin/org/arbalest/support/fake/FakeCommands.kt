// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.fake

import org.arbalest.device.DeviceException
import org.arbalest.device.spi.HostTask

class FakeQueue {
    val commands = ArrayDeque<FakeCommand>()
    var failure: DeviceException? = null
    var isDestroyed = false
}

class FakeEvent {
    var isOver = false
        private set
    var failure: DeviceException? = null
        private set
    val listeners = mutableListOf<() -> Unit>()

    fun finish(how: DeviceException?, calls: MutableList<() -> Unit>) {
        if (isOver) return
        isOver = true
        failure = how
        calls += listeners
        listeners.clear()
    }
}

sealed interface FakeCommand

class FakeRecord(val event: FakeEvent) : FakeCommand

class FakeWait(val event: FakeEvent) : FakeCommand

/** A function that the CPU runs when the queue reaches it. */
class FakeTask(val task: HostTask) : FakeCommand

/** A copy, or a kernel, whose reads are unknown. */
class FakeWork(
    val number: Long,
    private val to: Long,
    private val from: Long,
    private val bytes: Long,
    val action: (FakeDevice) -> Unit,
) : FakeCommand {
    fun writes(address: Long, size: Long): Boolean = to < address + size && address < to + bytes

    fun reads(address: Long, size: Long): Boolean = from != 0L && from < address + size && address < from + bytes

    /** Returns whether [later] reads or writes memory that this command writes. */
    fun conflictsWith(later: FakeWork): Boolean = later.reads(to, bytes) || later.writes(to, bytes)
}
