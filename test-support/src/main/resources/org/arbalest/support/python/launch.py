# SPDX-License-Identifier: Apache-2.0
"""Runs a Java program in this process, beside Python: launch.py LIBJVM [OPTION]... -- CLASS [ARGUMENT]...

JNI's specification defines the structs of the invocation interface, and the places in the table of functions.
"""
import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_int32, c_uint8, c_void_p

JNI_VERSION_21 = 0x00150000
FIND_CLASS, EXCEPTION_DESCRIBE, GET_STATIC_METHOD_ID, CALL_STATIC_VOID_METHOD_A = 6, 16, 113, 143
NEW_STRING_UTF, NEW_OBJECT_ARRAY, SET_OBJECT_ARRAY_ELEMENT, EXCEPTION_CHECK = 167, 172, 174, 228


class JavaVMOption(ctypes.Structure):
    _fields_ = [("option_string", c_char_p), ("extra_info", c_void_p)]


class JavaVMInitArgs(ctypes.Structure):
    _fields_ = [("version", c_int32), ("count", c_int32), ("options", POINTER(JavaVMOption)), ("lenient", c_uint8)]


def create(library, options):
    """Creates the JVM, and returns a function that calls JNI's functions by their places."""
    texts = (JavaVMOption * len(options))(*[JavaVMOption(option.encode(), None) for option in options])
    machine, env = c_void_p(), c_void_p()
    arguments = JavaVMInitArgs(JNI_VERSION_21, len(options), texts, 0)
    code = ctypes.CDLL(library).JNI_CreateJavaVM(byref(machine), byref(env), byref(arguments))
    if code != 0:
        sys.exit("JNI_CreateJavaVM failed with %d" % code)
    table = (c_void_p * (EXCEPTION_CHECK + 1)).from_address(c_void_p.from_address(env.value).value)

    def call(place, result, *values):
        kinds = [type(value) for value in values]
        return ctypes.CFUNCTYPE(result, c_void_p, *kinds)(table[place])(env, *values)  # releases the GIL

    def checked(place, result, *values):
        returned = call(place, result, *values)
        if call(EXCEPTION_CHECK, c_uint8):
            call(EXCEPTION_DESCRIBE, None)
            os._exit(1)  # the JVM's threads would keep the process
        return returned

    return checked


def main(library, options, name, arguments):
    call = create(library, options)
    program = c_void_p(call(FIND_CLASS, c_void_p, c_char_p(name.replace(".", "/").encode())))
    text = c_void_p(call(FIND_CLASS, c_void_p, c_char_p(b"java/lang/String")))
    array = c_void_p(call(NEW_OBJECT_ARRAY, c_void_p, c_int32(len(arguments)), text, c_void_p()))
    for i, argument in enumerate(arguments):
        element = c_void_p(call(NEW_STRING_UTF, c_void_p, c_char_p(argument.encode())))
        call(SET_OBJECT_ARRAY_ELEMENT, None, array, c_int32(i), element)
    method = c_void_p(call(GET_STATIC_METHOD_ID, c_void_p, program, c_char_p(b"main"),
                           c_char_p(b"([Ljava/lang/String;)V")))
    values = (c_void_p * 1)(array)  # one jvalue
    call(CALL_STATIC_VOID_METHOD_A, None, program, method, c_void_p(ctypes.addressof(values)))
    sys.stdout.flush()
    os._exit(0)


middle = sys.argv.index("--")
main(sys.argv[1], sys.argv[2:middle], sys.argv[middle + 1], sys.argv[middle + 2:])
