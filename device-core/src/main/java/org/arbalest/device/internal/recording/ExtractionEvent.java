// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/** The extraction of a task's array by the producer of an async stream. */
@Name("org.arbalest.Extraction")
@Label("Task Extraction")
@Description("The producer of an async stream handed over the array of a task")
@Category("Arbalest")
@Threshold("10 ms")
final class ExtractionEvent extends ArrayEvent {}
