/** OpenCL devices, by shared virtual memory (DEV-12); found by {@link java.util.ServiceLoader}. */
@NullMarked
package org.arbalest.device.opencl;

import org.jspecify.annotations.NullMarked;
