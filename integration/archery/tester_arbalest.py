# SPDX-License-Identifier: Apache-2.0
"""A tester for archery, Arrow's integration suite, in which Arbalest takes part. See docs/interop.md."""

import os

import jpype
from archery.integration import cdata
from archery.integration.tester import CDataExporter, CDataImporter, Tester

OPTIONS = ["-XX:-UsePerfData", "-Xrs", "--enable-native-access=ALL-UNNAMED"]


def tester_class(name):
    """Returns a class of the module integration. ARBALEST_CLASS_PATH has its jars and folders of classes."""
    for path in os.environ["ARBALEST_CLASS_PATH"].split(os.pathsep):
        jpype.addClassPath(path)  # also for a JVM that another tester has started
    if not jpype.isJVMStarted():
        jpype.startJVM(*OPTIONS, convertStrings=False)
    return jpype.JClass("org.arbalest.integration." + name)


def check(error):
    if error is not None:
        raise RuntimeError(str(error))


def address(pointer):
    return jpype.JLong(int(cdata.ffi().cast("uintptr_t", pointer)))


class ArbalestCDataExporter(CDataExporter):
    supports_releasing_memory = True

    def __init__(self):
        self.java = tester_class("CDataTester")

    def export_schema_from_json(self, json_path, c_schema_ptr):
        check(self.java.exportSchemaFromJson(str(json_path), address(c_schema_ptr)))

    def export_batch_from_json(self, json_path, num_batch, c_array_ptr):
        check(self.java.exportBatchFromJson(str(json_path), num_batch, address(c_array_ptr)))

    def record_allocation_state(self):
        return int(self.java.liveBytes()), int(self.java.liveStructs())


class ArbalestCDataImporter(CDataImporter):
    supports_releasing_memory = True

    def __init__(self):
        self.java = tester_class("CDataTester")

    def import_schema_and_compare_to_json(self, json_path, c_schema_ptr):
        check(self.java.importSchemaAndCompare(str(json_path), address(c_schema_ptr)))

    def import_batch_and_compare_to_json(self, json_path, num_batch, c_array_ptr):
        check(self.java.importBatchAndCompare(str(json_path), num_batch, address(c_array_ptr)))


class ArbalestTester(Tester):
    name = "Arbalest"
    PRODUCER = True
    CONSUMER = True
    C_DATA_SCHEMA_EXPORTER = True
    C_DATA_ARRAY_EXPORTER = True
    C_DATA_SCHEMA_IMPORTER = True
    C_DATA_ARRAY_IMPORTER = True

    def __init__(self, **args):
        super().__init__(**args)
        # on the main thread: the JVM ends only after the thread that started it
        self.java = tester_class("IpcTester")

    def json_to_file(self, json_path, arrow_path):
        check(self.java.jsonToArrow(str(json_path), str(arrow_path)))

    def validate(self, json_path, arrow_path, quirks=None):
        validate = self.java.validateQuirky if quirks else self.java.validate
        check(validate(str(json_path), str(arrow_path)))

    def file_to_stream(self, file_path, stream_path):
        check(self.java.fileToStream(str(file_path), str(stream_path)))

    def stream_to_file(self, stream_path, file_path):
        check(self.java.streamToFile(str(stream_path), str(file_path)))

    def make_c_data_exporter(self):
        return ArbalestCDataExporter()

    def make_c_data_importer(self):
        return ArbalestCDataImporter()
