// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import me.tongfei.progressbar.ProgressBar
import me.tongfei.progressbar.ProgressBarBuilder
import me.tongfei.progressbar.ProgressBarStyle

/**
 * Runs [block] with a progress bar on standard error, which disappears at the end. If [most] is -1, the length is
 * unknown. Without a terminal, the block receives null.
 */
inline fun <T> progress(task: String, most: Long, unit: String? = null, block: (ProgressBar?) -> T): T {
    if (System.console()?.isTerminal != true) return block(null)
    val builder = ProgressBarBuilder().setTaskName(task).setInitialMax(most).setStyle(ProgressBarStyle.ASCII)
        .setUpdateIntervalMillis(100).clearDisplayOnFinish()
    if (unit != null) builder.setUnit(" $unit", 1).showSpeed()
    return builder.build().use(block)
}
