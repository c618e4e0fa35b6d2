// SPDX-License-Identifier: Apache-2.0
/** The codecs of IPC buffers: LZ4 frames and Zstandard frames, on native memory. */
@NullMarked
package org.arbalest.device.ipc.internal.compress;

import org.jspecify.annotations.NullMarked;
