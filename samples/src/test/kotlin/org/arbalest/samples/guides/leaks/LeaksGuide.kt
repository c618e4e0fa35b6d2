// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.leaks

import org.arbalest.device.monitoring.HandleWatch

// The Kotlin of docs/guides/leaks.md.

fun leftOpen(work: () -> Unit): List<String> = HandleWatch.start().use { watch ->
    work()
    watch.open().map { "${it.what()}, made ${it.made().message}" }
}
