// SPDX-License-Identifier: Apache-2.0
/** What a flight recording is told: events of JDK Flight Recorder, where that is there. */
@NullMarked
package org.arbalest.device.internal.recording;

import org.jspecify.annotations.NullMarked;
