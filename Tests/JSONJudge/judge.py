"""Reads JSON texts with Python's json and compares them with what was written.

Usage: judge.py FILE, where FILE is what the test "two thousand trees for another reader" writes: a line
for each text, with its bytes in hexadecimal digits and the value in a form that needs no JSON.
"""

import json
import struct
import sys


def parse(form, place):
    """The value at a place of a form, and the place behind it."""
    kind, place = form[place], place + 1
    if kind in "ntf":
        return {"n": None, "t": True, "f": False}[kind], place
    if kind in "ids":
        end = place
        while end < len(form) and form[end] not in ",:]}":
            end += 1
        text = form[place:end]
        if kind == "i":
            return int(text), end
        if kind == "s":
            return bytes.fromhex(text).decode(), end
        return struct.unpack(">d", int(text, 16).to_bytes(8, "big"))[0], end
    closing = "]" if kind == "[" else "}"
    elements, members = [], {}
    while form[place] != closing:
        value, place = parse(form, place)
        if kind == "{":
            key = value
            value, place = parse(form, place + 1)
            members[key] = value
        elements.append(value)
        if form[place] == ",":
            place += 1
    return (elements if kind == "[" else members), place + 1


def is_same(read, wanted):
    if isinstance(wanted, float):
        # A whole number may be written without a fraction.
        if isinstance(read, int) and not isinstance(read, bool):
            read = float(read)
        return isinstance(read, float) and struct.pack(">d", read) == struct.pack(">d", wanted)
    if type(read) is not type(wanted):
        return False
    if isinstance(wanted, list):
        return len(read) == len(wanted) and all(map(is_same, read, wanted))
    if isinstance(wanted, dict):
        return read.keys() == wanted.keys() and all(is_same(read[key], wanted[key]) for key in wanted)
    return read == wanted


def main(path):
    count = differ = 0
    with open(path, encoding="ascii") as lines:
        for line in lines:
            text, form = line.split()
            text = bytes.fromhex(text).decode()
            wanted, _ = parse(form, 0)
            count += 1
            if not is_same(json.loads(text), wanted):
                differ += 1
                print("not the same:", text, wanted)
    print(f"{count} texts, {differ} differ")
    return 1 if differ or count < 2000 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
