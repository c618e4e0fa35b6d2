// SPDX-License-Identifier: Apache-2.0
/**
 * The CUDA backend: devices, pinned memory and managed memory, by the driver API. {@link java.util.ServiceLoader} finds
 * it.
 *
 * <p>This package and the ROCm package are twins, whose parts have the same names: {@code Cu} corresponds to
 * {@code Hip}, and {@code Cuda} to {@code Rocm}. All other names are the same. Consider each fix in one package for the
 * other as well.
 *
 * <table>
 * <caption>The parts side by side</caption>
 * <tr><th></th><th>CUDA</th><th>ROCm</th></tr>
 * <tr><td>Available
 * devices</td><td>{@link org.arbalest.device.cuda.CudaProvider}</td><td>{@code RocmProvider}.</td></tr>
 * <tr><td>Calls from core</td><td>{@code CudaDriver}</td><td>{@code RocmDriver}.</td></tr>
 * <tr><td>One GPU, and its other parts</td><td>{@code Gpu}: a context for each call</td><td>{@code Gpu}: a current
 * device, where one matters.</td></tr>
 * <tr><td>Library; functions; functions for memory</td><td>{@code CuLibrary}, {@code Cu},
 * {@code CuMemory}</td><td>{@code HipLibrary}, {@code Hip}, {@code HipMemory}; {@code HipThread}, the current device of
 * a thread.</td></tr>
 * <tr><td>Errors</td><td>{@code CuErrors}</td><td>{@code HipErrors}, which also clears them for
 * {@code hipGetLastError}.</td></tr>
 * <tr><td>Streams and events</td><td>{@code Streams}: host functions cannot destroy them</td><td>{@code Streams}:
 * destroying waits.</td></tr>
 * <tr><td>Host functions</td><td>{@code Cu}</td><td>{@code HostFunctions}, in variants for two releases.</td></tr>
 * <tr><td>Meaning of return codes</td><td>{@code CuAnswers}</td><td>{@code HipAnswers}.</td></tr>
 * <tr><td>Rejection of foreign addresses and events</td><td>{@code CuAddress}</td><td>{@code HipAddress}.</td></tr>
 * <tr><td>Graphs that other threads capture</td><td>{@code CuCapture}</td><td>{@code HipCapture}.</td></tr>
 * <tr><td>Waits, without a thread or stream for each</td><td>{@code Waits}; threads wait by
 * {@code cuEventSynchronize}</td><td>{@code Waits}, also for threads: the wait of HIP would block others.</td></tr>
 * <tr><td>Memory</td><td>{@code GpuMemory}: {@code DeviceMemory}, {@code PinnedMemory},
 * {@code ManagedMemory}</td><td>{@code GpuMemory}: {@code DeviceMemory}, {@code PinnedMemory}; Arrow has no type for
 * managed memory.</td></tr>
 * <tr><td>Pool; memory of a stream</td><td>{@code Pool}, detected by an attribute;
 * {@code StreamMemory}</td><td>{@code Pool}, only on request, and detected by trying; {@code StreamMemory}.</td></tr>
 * <tr><td>Pinned memory of the application</td><td>{@code Registrations},
 * {@code CuRegister}</td><td>{@code Registrations}, {@code HipRegister}.</td></tr>
 * <tr><td>Placement of managed memory</td><td>{@code ManagedHints}, {@code CuManaged},
 * {@link org.arbalest.device.cuda.MemoryAdvice}</td><td>nothing.</td></tr>
 * <tr><td>Memory shared between processes</td><td>{@code CudaSharing}, {@code CuIpc}, {@code ShareableMemory}: also
 * events; {@code FabricMemory}, {@code Mappings}, {@code CuMap}: by fabric handles</td><td>{@code RocmSharing},
 * {@code HipIpc}, {@code ShareableMemory}: memory only.</td></tr>
 * <tr><td>Identity of a GPU</td><td>{@code CuIdentity}</td><td>{@code HipIdentity}.</td></tr>
 * <tr><td>Frees on another thread</td><td>{@code Frees}</td><td>{@code Frees}.</td></tr>
 * <tr><td>Kernels</td><td>{@code KernelModule}</td><td>nothing.</td></tr>
 * <tr><td>Copies</td><td>{@code Copies}, {@code CuCopies}</td><td>{@code Copies}, {@code HipCopies}.</td></tr>
 * <tr><td>For applications</td><td>{@link org.arbalest.device.cuda.Cuda},
 * {@link org.arbalest.device.cuda.Jcuda}</td><td>{@code Rocm}; handles and ordinals are those of HIP.</td></tr>
 * </table>
 */
@NullMarked
package org.arbalest.device.cuda;

import org.jspecify.annotations.NullMarked;
