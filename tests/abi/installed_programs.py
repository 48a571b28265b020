#!/usr/bin/env python3
"""Builds AscendCL programs against an installed copy as their authors would, and runs them.

The build tree is installed into a new directory. A C11 and a C++17 program are compiled without a warning by nothing
but `cc app.c -I P/include -L P/lib64 -lascendcl -Wl,-rpath,P/lib64`. Each runs with an empty environment, in another
current directory, by an absolute and by a relative path, and, where this script runs as root, as an unprivileged user
too. Nothing may be left running, and the installed files must not change.

Then the other ways to the library: every name of it, linking in devlib, set_env.sh in several shells, LD_PRELOAD under a
program linked with a stub, find_package, and a prefix that has an include directory already. Exit status 0 when all holds.
"""
import argparse
import ctypes
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile

import abi_tables

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"


def run(command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, **options)
    if result.returncode != 0:
        sys.exit(f"installed_programs: {' '.join(map(str, command))}\nended with {result.returncode}\n"
                 f"{result.stdout}{result.stderr}")
    return result.stdout


def compile_programs(prefix, directory, compilers):
    cc, cxx = compilers
    paths = ["-I", prefix / "include", "-L", prefix / "lib64", "-lascendcl", f"-Wl,-rpath,{prefix}/lib64"]
    for compiler, standard, source in [(cc, "-std=c11", "app.c"), (cxx, "-std=c++17", "app.cpp")]:
        program = directory / source.replace(".", "_")
        run([compiler, standard, *WARNINGS, PROGRAMS / source, "-o", program, *paths])
        yield program


def snapshot(prefix):
    return {str(path): path.lstat().st_mtime_ns for path in prefix.rglob("*") if not path.is_dir()}


def unprivileged():
    """How to become someone who owns nothing here; empty when that is not possible or not needed."""
    if os.geteuid() != 0:
        return []
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        return []
    if not shutil.which("setpriv"):
        return []
    return ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups", "--no-new-privs"]


EXPECTED = "sum 4950\n"
# Names under which programs load the library, and those that they only link.
ALIASES = ["ascendcl", "forebay", "acl_rt", "runtime", "acl_tdt_channel", "acl_tdt_queue", "msprofiler", "ascend_dump"]
EMPTY = ["acl_op_compiler", "acl_cblas", "acl_dvpp", "ascendalog", "ascend_hal", "error_manager", "ge_executor",
         "graph_base", "nnopbase", "opapi", "platform", "register"]


def fail(message):
    sys.exit(f"installed_programs: {message}")


def expect_sum(command, **options):
    output = run(command, **options)
    if output != EXPECTED:
        fail(f"{' '.join(map(str, command))} printed {output!r}")


def run_plainly(prefix, directory, compilers):
    elsewhere = directory / "elsewhere"
    elsewhere.mkdir()
    for program in compile_programs(prefix, directory, compilers):
        for become in [[], unprivileged()] if unprivileged() else [[]]:
            for path, cwd in [(program, elsewhere), (f"./{program.name}", directory), (program, "/")]:
                expect_sum(["env", "-i", path] if not become else [*become, "env", "-i", path], cwd=cwd)


def check_names(prefix):
    """All functions are found through every name, and are the same ones."""
    functions = abi_tables.c_functions()
    addresses = {}
    for folder in ["lib64", "devlib", "lib64/stub", "runtime/lib64", "runtime/lib64/stub", "acllib/lib64"]:
        for name in ALIASES:
            library = ctypes.CDLL(str(prefix / folder / f"lib{name}.so"))
            for function in functions:
                if not hasattr(library, function):
                    fail(f"{folder}/lib{name}.so has no {function}")
                address = ctypes.cast(getattr(library, function), ctypes.c_void_p).value
                if addresses.setdefault(function, address) != address:
                    fail(f"{function} of {folder}/lib{name}.so is another one")
        for name in EMPTY:
            library = prefix / folder / f"lib{name}.so"
            ctypes.CDLL(str(library))
            if "acl" in run(["nm", "-D", "--defined-only", library]):
                fail(f"{library} is not empty")


def shells():
    """Ways to run something where set_env.sh was sourced: as it is installed, and twice."""
    for shell in filter(shutil.which, ["bash", "sh", "zsh"]):
        for script in ["set_env.sh"] + (["bin/setenv.bash"] if shell == "bash" else []):
            for repeat in [1, 2]:
                yield lambda prefix, command: ["env", "-i", "PATH=/usr/bin:/bin", shell, "-euc",
                                               f". '{prefix}/{script}'; " * repeat + command]


def check_environment(prefix, directory, compilers):
    """What links in devlib, and with every name, runs where set_env.sh was sourced."""
    program = directory / "from_devlib"
    names = [f"-l{name}" for name in ALIASES + EMPTY]
    run([compilers[0], PROGRAMS / "app.c", "-o", program, "-I", prefix / "include", "-Wl,--no-as-needed",
         "-L", prefix / "runtime/lib64/stub", *names])
    home = str(prefix)
    expected = {"ASCEND_HOME_PATH": home, "ASCEND_TOOLKIT_HOME": home, "ASCEND_AICPU_PATH": home,
                "ASCEND_OPP_PATH": f"{home}/opp", "LD_LIBRARY_PATH": f"{home}/lib64", "CMAKE_PREFIX_PATH": home,
                "PATH": f"{home}/bin:/usr/bin:/bin"}
    for shell in shells():
        expect_sum(shell(prefix, f"'{program}'"))
        lines = run(shell(prefix, "env")).splitlines()
        variables = dict(line.split("=", 1) for line in lines)
        for name, value in expected.items():
            if variables.get(name) != value:
                fail(f"set_env.sh sets {name} to {variables.get(name)!r}, not to {value!r}")
        if "forebay" in " ".join(set(variables) - set(expected)):
            fail(f"set_env.sh leaves variables: {sorted(variables)}")
        if "NPU ID" not in run(shell(prefix, "npu-smi info -l")):
            fail("npu-smi is not found where set_env.sh was sourced")
    # Moved, the directory is found by bash.
    moved = directory / "moved"
    prefix.rename(moved)
    expect_sum(["env", "-i", "PATH=/usr/bin:/bin", "bash", "-euc", f". '{moved}/set_env.sh'; '{program}'"])
    moved.rename(prefix)


def check_preload(prefix, directory, compilers):
    """LD_PRELOAD puts the library under a program that has a stub of it."""
    folder = directory / "stub"
    folder.mkdir()
    source = folder / "stub.c"
    source.write_text("".join(f"int {name}(void) {{ return 1; }}\n" for name in abi_tables.c_functions()))
    run([compilers[0], "-shared", "-fPIC", "-w", source, "-Wl,-soname,libascendcl.so", "-o", folder / "libascendcl.so"])
    program = directory / "with_stub"
    run([compilers[0], PROGRAMS / "app.c", "-o", program, "-I", prefix / "include", "-L", folder, "-lascendcl",
         f"-Wl,-rpath,{folder}"])
    if subprocess.run(["env", "-i", program], capture_output=True, check=False).returncode == 0:
        fail("a program with a stub succeeds")
    # The dynamic linker takes blanks for separators in LD_PRELOAD.
    (directory / "without_blank").symlink_to(prefix)
    expect_sum(["env", "-i", f"LD_PRELOAD={directory}/without_blank/lib64/libascendcl.so", program])


def check_package(prefix, directory, cmake, compilers):
    build = directory / "package"
    options = [f"-DCMAKE_C_COMPILER={compilers[0]}", f"-DCMAKE_CXX_COMPILER={compilers[1]}"]
    environment = {**os.environ, "CMAKE_PREFIX_PATH": str(prefix)}
    run([cmake, "-G", "Ninja", "-S", PROGRAMS / "package", "-B", build, *options], env=environment)
    run([cmake, "--build", build])
    for program in ["with_c", "with_cpp"]:
        expect_sum(["env", "-i", build / program])
    if not (build / "kernels.o").exists():
        fail("forebay_add_kernel_binary made no kernel binary")


def check_shared_prefix(directory, cmake, build, compilers):
    """In a prefix like /usr/local, what others have there stays, and the promise holds."""
    prefix = directory / "shared"
    (prefix / "include").mkdir(parents=True)
    (prefix / "include/other.h").write_text("")
    for _ in range(2):  # again over itself
        run([cmake, "--install", build, "--prefix", prefix])
    if not (prefix / "include/other.h").exists() or (prefix / "include").is_symlink():
        fail("the include directory of others was replaced")
    compiled = directory / "in_shared"
    compiled.mkdir()
    for program in compile_programs(prefix, compiled, compilers):
        expect_sum(["env", "-i", program])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--build", required=True, help="the build tree")
    parser.add_argument("--compiler", default="gcc,g++", metavar="CC,CXX")
    arguments = parser.parse_args()
    compilers = arguments.compiler.split(",")
    with tempfile.TemporaryDirectory(prefix="forebay_installed_") as temporary:
        directory = pathlib.Path(temporary)
        directory.chmod(0o755)
        prefix = directory / "prefix with a blank"
        run([arguments.cmake, "--install", arguments.build, "--prefix", prefix])
        before = snapshot(prefix)
        run_plainly(prefix, directory, compilers)
        check_names(prefix)
        check_environment(prefix, directory, compilers)
        check_preload(prefix, directory, compilers)
        check_package(prefix, directory, arguments.cmake, compilers)
        if snapshot(prefix) != before:
            fail("running programs changed the installed files")
        check_shared_prefix(directory, arguments.cmake, arguments.build, compilers)
    print("installed_programs: all went well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
