// SPDX-License-Identifier: Apache-2.0
/**
 * CUDA devices, pinned and managed memory, by the driver API; found by {@link java.util.ServiceLoader}.
 *
 * <p>This package and ROCm's are twins, whose parts have the same names: {@code Cu} stands for {@code Hip} and
 * {@code Cuda} for {@code Rocm}, and what has neither is called alike. A fix in one is to be looked at in the other.
 *
 * <table>
 * <caption>The parts side by side</caption>
 * <tr><th></th><th>CUDA</th><th>ROCm</th></tr>
 * <tr><td>what there is</td><td>{@link org.arbalest.device.cuda.CudaProvider}</td><td>{@code RocmProvider}</td></tr>
 * <tr><td>what core calls</td><td>{@code CudaDriver}</td><td>{@code RocmDriver}</td></tr>
 * <tr><td>one GPU, and its other parts</td><td>{@code Gpu}: a context for each call</td><td>{@code Gpu}: a current
 * device, where one matters</td></tr>
 * <tr><td>the library; its functions; those for memory</td><td>{@code CuLibrary}, {@code Cu},
 * {@code CuMemory}</td><td>{@code HipLibrary}, {@code Hip}, {@code HipMemory}; {@code HipThread}, what is current on a
 * thread</td></tr>
 * <tr><td>errors</td><td>{@code CuErrors}</td><td>{@code HipErrors}, which also forgets them for
 * {@code hipGetLastError}</td></tr>
 * <tr><td>streams and events</td><td>{@code Streams}: destroying is refused in host functions</td><td>{@code Streams}:
 * destroying waits</td></tr>
 * <tr><td>host functions</td><td>{@code Cu}</td><td>{@code HostFunctions}, of two releases</td></tr>
 * <tr><td>what codes say of what was asked for</td><td>{@code CuAnswers}</td><td>{@code HipAnswers}</td></tr>
 * <tr><td>what comes from outside and is none of a GPU's</td><td>{@code CuAddress}</td><td>{@code HipAddress}</td></tr>
 * <tr><td>graphs that others capture</td><td>{@code CuCapture}</td><td>{@code HipCapture}</td></tr>
 * <tr><td>waits, without a thread or stream for each</td><td>{@code Waits}; threads by
 * {@code cuEventSynchronize}</td><td>{@code Waits}; threads as well: HIP's would hold up others</td></tr>
 * <tr><td>memory</td><td>{@code GpuMemory}: {@code DeviceMemory}, {@code PinnedMemory},
 * {@code ManagedMemory}</td><td>{@code GpuMemory}: {@code DeviceMemory}, {@code PinnedMemory}; Arrow has no type for
 * managed memory</td></tr>
 * <tr><td>the pool; memory of a stream</td><td>{@code Pool}, known by an attribute;
 * {@code StreamMemory}</td><td>{@code Pool}, which is asked for, and tried; {@code StreamMemory}</td></tr>
 * <tr><td>memory of others, pinned</td><td>{@code Registrations}, {@code CuRegister}</td><td>{@code Registrations},
 * {@code HipRegister}</td></tr>
 * <tr><td>where managed memory is to be</td><td>{@code ManagedHints}, {@code CuManaged},
 * {@link org.arbalest.device.cuda.MemoryAdvice}</td><td>nothing</td></tr>
 * <tr><td>memory of other processes, and theirs</td><td>{@code CudaSharing}, {@code CuIpc}, {@code ShareableMemory}:
 * events, too; {@code FabricMemory}, {@code Mappings}, {@code CuMap}: by fabric handles</td><td>{@code RocmSharing},
 * {@code HipIpc}, {@code ShareableMemory}: memory only</td></tr>
 * <tr><td>which GPU it is</td><td>{@code CuIdentity}</td><td>{@code HipIdentity}</td></tr>
 * <tr><td>what another thread frees</td><td>{@code Frees}</td><td>{@code Frees}</td></tr>
 * <tr><td>copies</td><td>{@code Copies}, {@code CuCopies}</td><td>{@code Copies}, {@code HipCopies}</td></tr>
 * <tr><td>for users</td><td>{@link org.arbalest.device.cuda.Cuda},
 * {@link org.arbalest.device.cuda.Jcuda}</td><td>{@code Rocm}; handles and ordinals are HIP's own</td></tr>
 * </table>
 */
@NullMarked
package org.arbalest.device.cuda;

import org.jspecify.annotations.NullMarked;
