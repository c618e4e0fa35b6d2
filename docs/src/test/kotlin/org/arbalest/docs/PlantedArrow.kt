// SPDX-License-Identifier: Apache-2.0
@file:Suppress("unused", "PackageDirectoryMismatch")

package org.arbalest.device.internal.memory

import org.arbalest.device.DeviceArray

/** A type that the package for memory must not use, for the test of [org.arbalest.docs.ArchitectureSpec]. */
internal class PlantedArrow(val array: DeviceArray)
