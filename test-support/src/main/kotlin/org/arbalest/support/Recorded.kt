// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import jdk.jfr.Recording
import jdk.jfr.consumer.RecordedEvent
import jdk.jfr.consumer.RecordingFile
import java.nio.file.Files

/** Returns the library's events that JFR records during [action]. The [settings] enable their kinds. */
fun recordedBy(settings: (Recording) -> Unit, action: () -> Unit): List<RecordedEvent> {
    val file = Files.createTempFile("arbalest", ".jfr")
    try {
        Recording().use { recording ->
            settings(recording)
            recording.start()
            action()
            recording.stop()
            recording.dump(file)
        }
        return RecordingFile.readAllEvents(file).filter { it.eventType.name.startsWith("org.arbalest.") }
    } finally {
        Files.delete(file)
    }
}
