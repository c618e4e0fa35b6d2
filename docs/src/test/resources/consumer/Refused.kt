// SPDX-License-Identifier: Apache-2.0
package consumer

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.FlowPreview
import kotlinx.coroutines.channels.BufferOverflow
import kotlinx.coroutines.flow.*
import org.arbalest.coroutines.LendingFlow
import org.arbalest.device.RecordBatch
import kotlin.time.Duration.Companion.seconds

@OptIn(ExperimentalCoroutinesApi::class, FlowPreview::class)
suspend fun refused(lent: LendingFlow<RecordBatch>, array: RecordBatch, scope: CoroutineScope, others: Flow<Int>) {
    lent.first()
    lent.first { it.isOpen }
    lent.firstOrNull()
    lent.firstOrNull { it.isOpen }
    lent.last()
    lent.lastOrNull()
    lent.single()
    lent.singleOrNull()
    lent.toList()
    lent.toList(mutableListOf())
    lent.toCollection(mutableListOf())
    lent.toSet()
    lent.toSet(mutableSetOf())
    lent.associateBy { it.length() }
    lent.associateByTo(mutableMapOf<Long, RecordBatch>()) { it.length() }
    lent.associateWith { it.length() }
    lent.associateWithTo(mutableMapOf<RecordBatch, Long>()) { it.length() }
    lent.groupBy { it.length() }
    lent.groupByTo(mutableMapOf<Long, MutableList<RecordBatch>>()) { it.length() }
    lent.chunked(2)
    lent.reduce { first, _ -> first }
    lent.runningReduce { first, _ -> first }
    lent.distinctUntilChanged()
    lent.distinctUntilChanged { old, new -> old.length() == new.length() }
    lent.buffer(4, BufferOverflow.DROP_OLDEST)
    lent.buffer(onBufferOverflow = BufferOverflow.DROP_OLDEST)
    lent.conflate()
    lent.debounce(5)
    lent.debounce(5.seconds)
    lent.debounce { it.length() }
    lent.debounce { 5.seconds }
    lent.sample(5)
    lent.sample(5.seconds)
    lent.timeout(5.seconds)
    lent.collectLatest { it.length() }
    lent.mapLatest { it.length() }
    lent.flatMapLatest { flowOf(it.length()) }
    lent.transformLatest { emit(it.length()) }
    lent.flatMapMerge { flowOf(it.length()) }
    lent.flatMapMerge(4) { flowOf(it.length()) }
    lent.zip(others) { batch, other -> batch.length() + other }
    lent.combine(others) { batch, other -> batch.length() + other }
    lent.combineTransform(others) { batch, other -> emit(batch.length() + other) }
    lent.produceIn(scope)
    lent.shareIn(scope, SharingStarted.Eagerly)
    lent.stateIn(scope)
    lent.stateIn(scope, SharingStarted.Eagerly, array)
}
