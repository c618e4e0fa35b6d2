// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.samples.guides.Cudf.BaseDeviceMemoryBuffer
import org.arbalest.samples.guides.Cudf.ColumnVector

/** Returns an array in the column's memory. It keeps the column until its last reference is closed. */
internal fun wrap(column: ColumnVector, field: Field, stream: DeviceStream): DeviceArray =
    DeviceBuffer.wrap(stream.device(), 0, 0, column.incRefCount()::close).use { owner ->
        (if (column.nullCount == 0L) null else wrap(column.valid, owner)).use { valid ->
            wrap(column.offsets, owner).use { offsets ->
                wrap(column.data, owner).use { data ->
                    val isText = field.type() == DataType.UTF8
                    val buffers = if (isText) listOf(valid, offsets, data) else listOf(valid, data)
                    DeviceArray.of(field, ArrayData.of(column.rowCount, column.nullCount, buffers), stream)
                }
            }
        }
    }

/** cuDF returns null for memory without bytes. */
internal fun wrap(memory: BaseDeviceMemoryBuffer?, owner: DeviceBuffer): DeviceBuffer =
    if (memory == null) DeviceBuffer.wrap(owner.device(), 0, 0, owner)
    else DeviceBuffer.wrap(owner.device(), memory.address, memory.length, owner)
