"""Cuts the power while a program writes, and looks at what is left.

    power.py PROGRAM WORK safe|unsafe|failing|archive CUTS

It ends with an error where an acknowledged write is lost or anything is damaged; of `unsafe`, which does not
wait for the disk, where nothing is. With `failing` the disk also fails now and then to keep what it should.
"""

import os
import random
import shutil
import subprocess
import sys
import time

LOSSY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lossy.py")
# What writes and what checks, the file, up to how many calls there are before a cut, as a power of two, and how
# many of a thousand files are not kept.
COMMANDS = {
    "safe": ("write", "check", "numbers.db", 12.5, 0),
    "unsafe": ("write-unsafe", "check", "numbers.db", 11.5, 0),
    "failing": ("write-stubborn", "check", "numbers.db", 12, 100),
    "archive": ("archive-write", "archive-check", "", 8, 0),
}


def cut(program, work, writing, name, calls, failing, seed):
    """Runs the program until the power is cut; what it has acknowledged."""
    state, mountpoint = os.path.join(work, "state"), os.path.join(work, "mounted")
    os.makedirs(mountpoint, exist_ok=True)
    disk = subprocess.Popen(
        [sys.executable, LOSSY, state, mountpoint, str(calls), str(failing), str(seed)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        end = time.time() + 20
        while not os.path.ismount(mountpoint):
            if disk.poll() is not None or time.time() > end:
                sys.exit("the file system cannot be mounted: is there FUSE?")
            time.sleep(0.005)
        writer = subprocess.Popen(
            [program, writing, os.path.join(mountpoint, name)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        try:
            disk.wait(60)
        except subprocess.TimeoutExpired:
            sys.exit(f"the power was not cut after {calls} calls (seed {seed})")
        finally:
            writer.kill()
            said = writer.stdout.read().split(b"\n")[:-1]
            writer.wait()
    finally:
        disk.kill()
        disk.wait()
        subprocess.run(["umount", "-l", mountpoint], stderr=subprocess.DEVNULL)
    return int(said[-1]) if said else 0


def main(program, work, mode, cuts):
    writing, checking, name, most, failing = COMMANDS[mode]
    state = os.path.join(work, "state")
    acknowledged = lost = damaged = last = 0
    for number in range(cuts):
        seed = random.randrange(1 << 30)
        # Now and then from nothing: making a file can fail, too.
        if number % 8 == 0:
            shutil.rmtree(state, ignore_errors=True)
            os.makedirs(state)
            last = 0
        calls = int(2 ** random.uniform(3, most))
        before, last = last, max(last, cut(program, work, writing, name, calls, failing, seed))
        acknowledged += last - before
        place = os.path.join(state, name)
        if not os.path.exists(place):
            found, reason = 0, b""
        else:
            check = subprocess.run([program, checking, place], capture_output=True)
            found = int(check.stdout) if check.returncode == 0 else None
            reason = check.stderr
        if found is None:
            damaged += 1
        elif found < last:
            lost += 1
        elif found > last + 1:
            sys.exit(f"{found} was found, but {last} was the last to be acknowledged (seed {seed})")
        if found is None or found < last:
            print(f"{mode}, cut after {calls} calls (seed {seed}): {last} was acknowledged, {found} is there")
            if mode != "unsafe":
                print(reason.decode(errors="replace")[:500])
            shutil.rmtree(state)
            os.makedirs(state)
            found = 0
        last = found
    print(f"{mode}: {cuts} cuts, {acknowledged} acknowledged, lost in {lost}, damaged in {damaged}", flush=True)
    # Without anything to lose nothing would be shown.
    if acknowledged < cuts:
        sys.exit("too little was written")
    if (lost + damaged > 0) != (mode == "unsafe"):
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
