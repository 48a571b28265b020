#!/usr/bin/env python3
"""Checks the include graph against the layers: acl -> runtime -> sip -> driver -> device, base and types under all.

A file of a layer includes headers of its own layer, of the layer directly below, of base and types, and public headers:
all of include/forebay for runtime and acl, only the vocabulary for the others, and include/acl for acl alone. A public
header includes public headers and the standard library, so that it compiles wherever it is installed.
"""

import os
import posixpath
import re
import sys

import source

CHAIN = ["acl", "runtime", "sip", "driver", "device"]
VOCABULARY = {"status.h", "codes.def", "types.h", "kernel_abi.h"}
RULES = {"layers", "public-headers"}

# The interfaces of layers name no library of others; these do, or may.
THIRD_PARTY = re.compile(r"(fmt|boost|nlohmann|gtest|gmock|benchmark|tbb|spdlog|tl)/|(libelf|gelf)\.h$")
THIRD_PARTY_IN_INTERFACES = {"base": re.compile(r"fmt/")}

STANDARD = set("""
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits
clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint
cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution expected filesystem format forward_list
fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map
memory memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator
semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view
syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant
vector version
assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h signal.h
stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h tgmath.h time.h
uchar.h wchar.h wctype.h
""".split())

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?P<open>[<"])(?P<name>[^>"\n]+)[>"]', re.MULTILINE)


def allowed_layers(layer):
    """The layers whose headers a layer may include."""
    if layer == "base":
        return {"base"}
    if layer == "types":
        return {"types", "base"}
    below = CHAIN[CHAIN.index(layer) + 1:][:1] if layer in CHAIN else []
    return {layer, "base", "types", *below}


def includes_of(text):
    """(line, name, whether in quotes) of every include."""
    text = source.blank(text, keep_strings=True)
    return [(text.count("\n", 0, m.start("open")) + 1, m["name"], m["open"] == '"') for m in _INCLUDE.finditer(text)]


def check_layer_include(layer, path, name, quoted, files):
    """Why a file of a layer may not include `name`, or None."""
    parts = name.split("/")
    if parts[0] == "acl":
        return None if layer == "acl" else f"{layer} includes {name}: only acl knows the C interface"
    if parts[0] == "forebay" and len(parts) == 2:
        if layer in ("acl", "runtime") or parts[1] in VOCABULARY:
            return None
        return f"{layer} includes {name}: below runtime only {', '.join(sorted(VOCABULARY))} are shared"
    if parts[0] == "forebay" and len(parts) > 2:
        if f"include/{name}" in files and f"src/{parts[1]}/include/{name}" not in files:
            return None if layer in ("acl", "runtime") else f"{layer} includes {name} of the public interface"
        if parts[1] in allowed_layers(layer):
            return None
        return f"{layer} includes {name}: it may use {', '.join(sorted(allowed_layers(layer)))}"
    if quoted:
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        own = posixpath.normpath(f"src/{layer}/{name}")
        found = next((place for place in (beside, own) if place in files), None)
        if found is not None and not found.startswith(f"src/{layer}/"):
            return f"{layer} includes {name}, which is not of this layer"
        return None  # of the layer, or made by the build
    if path.startswith(f"src/{layer}/include/") and THIRD_PARTY.match(name):
        allowed = THIRD_PARTY_IN_INTERFACES.get(layer)
        if allowed is None or not allowed.match(name):
            return f"the interface of {layer} includes <{name}>; hide the library behind a source file"
    return None


def check_public_include(path, name, files):
    """Why a public header may not include `name`, or None."""
    places = [f"include/{name}", posixpath.normpath(posixpath.join(posixpath.dirname(path), name))]
    if name in STANDARD or any(place in files and place.startswith("include/") for place in places):
        return None
    return f"a public header includes {name}, which is neither public nor of the standard library"


def check(texts):
    """Findings for a mapping from path to text."""
    findings = []
    for path, text in texts.items():
        parts = path.split("/")
        for line, name, quoted in includes_of(text):
            if parts[0] == "include":
                rule, problem = "public-headers", check_public_include(path, name, texts)
            elif parts[0] == "src" and len(parts) > 2:
                rule, problem = "layers", check_layer_include(parts[1], path, name, quoted, texts)
            else:
                continue
            if problem:
                findings.append(source.Finding(rule, path, line, problem))
    for layer in sorted({path.split("/")[1] for path in texts if path.startswith("src/") and path.count("/") > 1}):
        if layer not in CHAIN + ["base", "types"]:
            findings.append(source.Finding("layers", f"src/{layer}", 1, "not one of the layers"))
    return findings


def main():
    root = source.repository_root()
    texts = {path: source.read_text(root, path) or "" for path in source.listed_files(root) if source.is_code(path)}
    if not texts:
        print(f"no sources under {os.path.relpath(root)}", file=sys.stderr)
        return 2
    return source.report(source.AllowList.load(root).filter(check(texts), RULES))


if __name__ == "__main__":
    sys.exit(main())
