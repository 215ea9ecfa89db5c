"""Reads with Python's json what the models of the Congress were written as, and compares it with the files.

Usage: congress.py EXPORT FILES, where EXPORT is the folder that the test "all that was read is written for
another reader" has filled, and FILES that of the files which it has read.
"""

import json
import pathlib
import sys

from judge import is_same

NAMES = [
    "legislators-current",
    "legislators-district-offices",
    "legislators-social-media",
    "committees-current",
    "committee-membership-current",
]


def read(folder, name):
    return json.loads((pathlib.Path(folder) / f"{name}.json").read_bytes().decode())


def count(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return 1 + sum(map(count, inner))


export, files = sys.argv[1:]
pairs = [(name, read(export, name), read(files, name)) for name in NAMES]
pairs.append(("graph", read(export, "graph-of-fields"), read(export, "graph")))
differ = 0
for name, written, wanted in pairs:
    same = is_same(written, wanted)
    differ += not same
    print(f"{name}: {count(written)} values, {'the same' if same else 'NOT the same'}")
sys.exit(1 if differ else 0)
