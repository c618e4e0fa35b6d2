// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.util.Map;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;

/** The conversion of OpenCL's codes to exceptions (DEV-14). */
final class ClErrors {
  private static final System.Logger LOGGER = System.getLogger("org.arbalest.device.opencl");

  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(0, "CL_SUCCESS"),
          Map.entry(-1, "CL_DEVICE_NOT_FOUND"),
          Map.entry(-2, "CL_DEVICE_NOT_AVAILABLE"),
          Map.entry(-3, "CL_COMPILER_NOT_AVAILABLE"),
          Map.entry(-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
          Map.entry(-5, "CL_OUT_OF_RESOURCES"),
          Map.entry(-6, "CL_OUT_OF_HOST_MEMORY"),
          Map.entry(-7, "CL_PROFILING_INFO_NOT_AVAILABLE"),
          Map.entry(-8, "CL_MEM_COPY_OVERLAP"),
          Map.entry(-9, "CL_IMAGE_FORMAT_MISMATCH"),
          Map.entry(-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED"),
          Map.entry(-11, "CL_BUILD_PROGRAM_FAILURE"),
          Map.entry(-12, "CL_MAP_FAILURE"),
          Map.entry(-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"),
          Map.entry(-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"),
          Map.entry(-15, "CL_COMPILE_PROGRAM_FAILURE"),
          Map.entry(-16, "CL_LINKER_NOT_AVAILABLE"),
          Map.entry(-17, "CL_LINK_PROGRAM_FAILURE"),
          Map.entry(-18, "CL_DEVICE_PARTITION_FAILED"),
          Map.entry(-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"),
          Map.entry(-30, "CL_INVALID_VALUE"),
          Map.entry(-31, "CL_INVALID_DEVICE_TYPE"),
          Map.entry(-32, "CL_INVALID_PLATFORM"),
          Map.entry(-33, "CL_INVALID_DEVICE"),
          Map.entry(-34, "CL_INVALID_CONTEXT"),
          Map.entry(-35, "CL_INVALID_QUEUE_PROPERTIES"),
          Map.entry(-36, "CL_INVALID_COMMAND_QUEUE"),
          Map.entry(-37, "CL_INVALID_HOST_PTR"),
          Map.entry(-38, "CL_INVALID_MEM_OBJECT"),
          Map.entry(-39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"),
          Map.entry(-40, "CL_INVALID_IMAGE_SIZE"),
          Map.entry(-41, "CL_INVALID_SAMPLER"),
          Map.entry(-42, "CL_INVALID_BINARY"),
          Map.entry(-43, "CL_INVALID_BUILD_OPTIONS"),
          Map.entry(-44, "CL_INVALID_PROGRAM"),
          Map.entry(-45, "CL_INVALID_PROGRAM_EXECUTABLE"),
          Map.entry(-46, "CL_INVALID_KERNEL_NAME"),
          Map.entry(-47, "CL_INVALID_KERNEL_DEFINITION"),
          Map.entry(-48, "CL_INVALID_KERNEL"),
          Map.entry(-49, "CL_INVALID_ARG_INDEX"),
          Map.entry(-50, "CL_INVALID_ARG_VALUE"),
          Map.entry(-51, "CL_INVALID_ARG_SIZE"),
          Map.entry(-52, "CL_INVALID_KERNEL_ARGS"),
          Map.entry(-53, "CL_INVALID_WORK_DIMENSION"),
          Map.entry(-54, "CL_INVALID_WORK_GROUP_SIZE"),
          Map.entry(-55, "CL_INVALID_WORK_ITEM_SIZE"),
          Map.entry(-56, "CL_INVALID_GLOBAL_OFFSET"),
          Map.entry(-57, "CL_INVALID_EVENT_WAIT_LIST"),
          Map.entry(-58, "CL_INVALID_EVENT"),
          Map.entry(-59, "CL_INVALID_OPERATION"),
          Map.entry(-60, "CL_INVALID_GL_OBJECT"),
          Map.entry(-61, "CL_INVALID_BUFFER_SIZE"),
          Map.entry(-62, "CL_INVALID_MIP_LEVEL"),
          Map.entry(-63, "CL_INVALID_GLOBAL_WORK_SIZE"),
          Map.entry(-64, "CL_INVALID_PROPERTY"),
          Map.entry(-65, "CL_INVALID_IMAGE_DESCRIPTOR"),
          Map.entry(-66, "CL_INVALID_COMPILER_OPTIONS"),
          Map.entry(-67, "CL_INVALID_LINKER_OPTIONS"),
          Map.entry(-68, "CL_INVALID_DEVICE_PARTITION_COUNT"),
          Map.entry(-69, "CL_INVALID_PIPE_SIZE"),
          Map.entry(-70, "CL_INVALID_DEVICE_QUEUE"),
          Map.entry(-71, "CL_INVALID_SPEC_ID"),
          Map.entry(-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"),
          Map.entry(-1001, "CL_PLATFORM_NOT_FOUND_KHR"));

  private ClErrors() {}

  /** Returns the name and the number of a code, such as {@code CL_INVALID_VALUE (-30)}. */
  static String describe(int code) {
    return NAMES.getOrDefault(code, "unknown code") + " (" + code + ")";
  }

  static int errno(int code) {
    if (code == -4 || code == -5 || code == -6) return Errno.ENOMEM;
    return code <= -30 && code > -100 ? Errno.EINVAL : Errno.EIO;
  }

  /**
   * Creates the exception for a failed call.
   *
   * @param call the function, the device and further details, such as {@code clFinish on OPENCL:0}
   * @param asked the request, or an empty text
   */
  static DeviceException exception(String call, int code, String asked) {
    return new DeviceException(errno(code),
        call + " failed: " + describe(code) + (asked.isEmpty() ? "" : ", asked for " + asked));
  }

  /** Logs a failure that no exception can carry to a caller. Never throws. */
  static void report(String what, Throwable failure) {
    try {
      LOGGER.log(System.Logger.Level.ERROR, what + " failed", failure);
    } catch (Throwable _) {
      // the failure cannot be reported anywhere
    }
  }
}
