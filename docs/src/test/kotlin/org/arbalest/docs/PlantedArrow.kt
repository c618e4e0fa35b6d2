// SPDX-License-Identifier: Apache-2.0
@file:Suppress("unused", "PackageDirectoryMismatch")

package org.arbalest.device.internal.memory

import org.arbalest.device.RecordBatch

/** A type that the package for memory must not use, for the test of [org.arbalest.docs.ArchitectureSpec]. */
internal class PlantedArrow(val array: RecordBatch)
