// SPDX-License-Identifier: Apache-2.0
/** The events of JDK Flight Recorder, if it is available. */
@NullMarked
package org.arbalest.device.internal.recording;

import org.jspecify.annotations.NullMarked;
