// SPDX-License-Identifier: Apache-2.0
/** Reading: messages, their bodies, dictionaries, files and streams. */
@NullMarked
package org.arbalest.device.ipc.internal.read;

import org.jspecify.annotations.NullMarked;
