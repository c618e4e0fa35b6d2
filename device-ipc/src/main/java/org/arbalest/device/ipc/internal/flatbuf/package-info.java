// SPDX-License-Identifier: Apache-2.0
/** The check of the FlatBuffers in Arrow files and streams, before the generated classes read them. */
@NullMarked
package org.arbalest.device.ipc.internal.flatbuf;

import org.jspecify.annotations.NullMarked;
