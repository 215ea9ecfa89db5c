"""Kills a program while it writes, and looks at what is left.

    kill.py PROGRAM WORK write|write-early|migrate ROUNDS

It ends with an error where an acknowledged write is lost, a number is missing or half there, or a migration is;
of `write-early`, which acknowledges what is not yet there, where nothing is.
"""

import os
import random
import shutil
import subprocess
import sys
import time


def killed(command, delay):
    """What a program has said in a time after its first line."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = child.stdout.readline()
    time.sleep(delay)
    child.kill()
    said += child.stdout.read()
    error = child.stderr.read()
    child.wait()
    if child.returncode > 0:
        sys.exit(f"{command[1]} failed: {error.decode(errors='replace')[:500]}")
    return said.split(b"\n")[:-1]


def check(command):
    """What a program says; nil where it found damage."""
    result = subprocess.run(command, capture_output=True)
    if result.returncode:
        print(result.stderr.decode(errors="replace")[:500])
        return None
    return result.stdout.decode().strip()


def write(program, work, mode, rounds):
    file = os.path.join(work, "numbers.db")
    acknowledged = lost = 0
    for number in range(rounds):
        if number % 10 == 0:
            shutil.rmtree(work, ignore_errors=True)
            os.makedirs(work)
            last = 0
        said = killed([program, mode, file], random.uniform(0, 0.15))
        before, last = last, max(last, int(said[-1]) if said else 0)
        acknowledged += last - before
        found = check([program, "check", file])
        if found is None or not last <= int(found) <= last + 1:
            lost += 1
            print(f"{mode}: {last} was acknowledged, {found} is there", flush=True)
        last = int(found or 0)
    print(f"{mode}: killed {rounds} times, {acknowledged} acknowledged, wrong {lost} times", flush=True)
    if acknowledged < rounds:
        sys.exit("too little was written")
    if (lost > 0) != (mode == "write-early"):
        sys.exit(1)


def migrate(program, work, rounds):
    os.makedirs(work)
    original, file = os.path.join(work, "original.db"), os.path.join(work, "books.db")
    subprocess.run([program, "books", original], check=True)
    shutil.copy(original, file)
    start = time.time()
    subprocess.run([program, "migrate", file], check=True, stdout=subprocess.DEVNULL)
    took = time.time() - start
    found = {"old": 0, "between": 0, "new": 0}
    for _ in range(rounds):
        for ending in ["", "-wal", "-shm"]:
            if os.path.exists(file + ending):
                os.unlink(file + ending)
        shutil.copy(original, file)
        said = killed([program, "migrate", file], random.uniform(0, took))
        state = check([program, "books-check", file])
        if state is None or (said[-1] == b"migrated" and state != "new"):
            sys.exit(f"it said {said}, and is {state}")
        found[state] += 1
    print(f"migrate: killed {rounds} times, {found}", flush=True)
    if min(found["old"], found["new"]) < rounds // 20:
        sys.exit("it was killed at too few different times")


if __name__ == "__main__":
    program, work, mode, rounds = sys.argv[1:]
    if mode == "migrate":
        migrate(program, work, int(rounds))
    else:
        write(program, work, mode, int(rounds))
