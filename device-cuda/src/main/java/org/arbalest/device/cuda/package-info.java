/** CUDA devices, pinned and managed memory, by the driver API; found by {@link java.util.ServiceLoader}. */
@NullMarked
package org.arbalest.device.cuda;

import org.jspecify.annotations.NullMarked;
