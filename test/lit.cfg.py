"""Configuration of Coda's lit tests."""

import os
import shutil

import lit.formats
from lit.llvm import llvm_config

config.name = "Coda"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.coda_obj_root, "test")

llvm_config.with_system_environment(["HOME", "TMP", "TEMP"])
# "not" and "split-file" are found by name in pipelines.
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.use_default_substitutions()
llvm_config.add_tool_substitutions(
    ["coda-compile", "coda-opt", "coda-reduce", "coda-runner", "mlir-opt",
     "mlir-runner"],
    [config.coda_tools_dir, config.llvm_tools_dir],
)
config.substitutions.append(("%mlir_lib", config.llvm_lib_dir))
config.substitutions.append(("%mlir_include", config.mlir_include_dir))
config.substitutions.append(("%python", config.python_executable))
config.substitutions.append(("%host_cc", config.host_cc))
config.substitutions.append(("%host_cxx", config.host_cxx))
config.substitutions.append(("%coda_src_root", config.coda_src_root))
config.substitutions.append(("%coda_obj_root", config.coda_obj_root))
config.substitutions.append(("%coda_tools_dir", config.coda_tools_dir))

# The stand-in for torch, which is built with the Python package.
fake_arrays = os.path.join(config.test_exec_root, "python", "_fake_arrays.abi3.so")
if os.path.exists(fake_arrays):
    config.available_features.add("fake-arrays")

# ptxas is a check on what we emit where it is there, never a dependency.
if shutil.which("ptxas"):
    config.available_features.add("ptxas")
