"""Ranks that are started on one host: who fails first is heard, signals reach each once, nobody outlives the launcher.
Shell scripts stand in for the program.

REQUIRES: runtime
RUN: %python3 %s %t
"""
import atexit
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time

from harness import contains, expect, read, until, usual_signals

folder = sys.argv[1]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
usual_signals()
LIMIT = 120  # seconds; ends a test that hangs
MEET = """touch at.$STRETTO_RANK; for ((i = 0; i < STRETTO_RANKS; ++i)); do until [ -e at.$i ]; do sleep 0.01; done; done; """
clean = {name: value for name, value in os.environ.items() if not name.endswith("_SOCKET_IFNAME")}


def command(script, ranks=3, restarts=0, patience=10000):
    """The launcher, whose ranks run a script; $1 is there after a restart."""
    return ["stretto-start-ranks", *map(str, (ranks, restarts, patience)), "/bin/bash", "-c", script, "rank"]


def ranks(script, status=0, environment=None, **more):
    """Runs the launcher to its end; returns what came on both streams, apart. In MEET, ranks wait for all others."""
    for name in os.listdir("."):
        if name.startswith("at."):
            os.remove(name)
    done = subprocess.run(command(script, **more), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT,
                          env={**clean, **(environment or {})})
    expect(done.returncode == status, f"{script}: exit status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def started(script, end="read -r < never & wait", count=3, restarts=0, **more):
    """The launcher as a process, and the pids of its ranks, which each have written theirs to pid.RANK."""
    for name in os.listdir("."):
        os.remove(name)
    os.mkfifo("never")
    process = subprocess.Popen(command(f"{script}; echo $$ > pid.new.$STRETTO_RANK; mv pid.new.$STRETTO_RANK "
                                       f"pid.$STRETTO_RANK; {end}", count, restarts),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean, **more)
    atexit.register(process.kill)  # where this test fails
    until(lambda: all(os.path.exists(f"pid.{rank}") for rank in range(count)), "the ranks")
    return process, [int(read(f"pid.{rank}")) for rank in range(count)]


def is_there(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def what_a_rank_is_told():
    script = "echo $STRETTO_RANK $STRETTO_RANKS $STRETTO_STORE $OTHER > env.$STRETTO_RANK"
    ranks(script, environment={"OTHER": "kept", "STRETTO_RANKS": "1"})
    told = [read(f"env.{rank}").decode().split() for rank in range(3)]
    expect([line[0] for line in told] == ["0", "1", "2"] and len({line[2] for line in told}) == 1, f"{told}")
    expect(all(line[1] == "3" and line[3:] == ["kept"] for line in told), f"{told}")
    expect(re.fullmatch(r"127\.0\.0\.1:[1-9]\d+", told[0][2]), told[0][2])


def the_socket_of_the_store():
    """Rank 0 alone has it, and it listens where the others are told to look."""
    ranks("""if [ $STRETTO_RANK = 0 ]
             then readlink /proc/$$/fd/$STRETTO_LISTENER > socket; cat /proc/net/tcp > listening; touch made
             else until [ -e made ]; do sleep 0.01; done; [ -z "$STRETTO_LISTENER" ] && ls -l /proc/$$/fd > others.$STRETTO_RANK
             fi; echo $STRETTO_STORE > store""")
    inode = re.fullmatch(r"socket:\[(\d+)\]\n", read("socket").decode())[1]
    port = int(read("store").decode().split(":")[1])
    (line,) = [line.split() for line in read("listening").decode().splitlines() if f" {inode} " in line]
    expect(line[1] == f"0100007F:{port:04X}" and line[3] == "0A", f"{line} is not 127.0.0.1:{port}, listening")
    expect("socket:" not in read("others.1").decode() + read("others.2").decode(), "another rank has a socket")


def streams():
    """Those of rank 0 are the launcher's; the others are quiet, and read nothing."""
    done = subprocess.run(command("echo out $STRETTO_RANK; echo err $STRETTO_RANK >&2; cat"), input="given", text=True,
                          capture_output=True, timeout=LIMIT)
    expect((done.returncode, done.stdout, done.stderr) == (0, "out 0\ngiven", "err 0\n"), str(done))
    # What they print takes no memory, however much it is.
    process, _ = started("[ $STRETTO_RANK = 0 ] || head -c 50000000 /dev/zero")
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
        peak = int(re.search(r"VmHWM:\s+(\d+) kB", file.read())[1])
    descriptors = os.listdir(f"/proc/{process.pid}/fd")
    process.terminate()
    process.communicate(timeout=LIMIT)
    expect(peak < 30000, f"the launcher took {peak} KiB")
    # Its own streams, those of the quiet ranks, and where signals come.
    expect(len(descriptors) == 3 + 2 + 1, f"the launcher has the descriptors {descriptors}")


def who_fails_first():
    script = "[ $STRETTO_RANK = {} ] && {{ {}; }}; read -r < never; exit 75"
    os.mkfifo("never")
    _, said = ranks(script.format(1, "echo step; echo 'error: no luck' >&2; echo '  at all'; exit 3"), status=3, patience=100)
    expect(re.fullmatch(r"error: rank 1 \(pid \d+\): no luck\n  at all\n", said), said)
    _, said = ranks(script.format(2, "kill -9 $$"), status=128 + 9, patience=100)
    expect(re.fullmatch(r"error: rank 2 \(pid \d+\) ended by signal 9\n", said), said)
    _, said = ranks(script.format(0, "echo 'error: told' >&2; exit 4"), status=4, patience=100)
    expect(said == "error: told\n", said)
    _, said = ranks(script.format(0, "kill -11 $$"), status=128 + 11, patience=100)
    expect(re.fullmatch(r"error: rank 0 \(pid \d+\) ended by signal 11\n", said), said)
    # 75 says that another one failed, and is heard only where all say so. What all know is told by the first rank alone. The
    # last one ends when the launcher has seen the ends of the others.
    def others_first(last, others, status=1):
        seen = " && ".join(f"! kill -0 $(<pid.{rank}) 2>&-" for rank in range(3) if rank != last)
        return ranks(f"trap '' USR1; echo $$ > pid.$STRETTO_RANK; {MEET} [ $STRETTO_RANK = {last} ] && {{ until {seen}; do sleep 0.01; done; "
                     f"echo 'error: mine' >&2; exit {status}; }}; {others}", status=status, patience=60000)[1]
    said = others_first(2, "echo 'error: of another'; exit 75")
    expect(re.fullmatch(r"error: rank 2 \(pid \d+\): mine\n", said), said)
    for said in (others_first(0, "echo 'warning: another'; exit 1"), others_first(0, "exit 75", status=75)):
        expect(said == "error: mine\n", said)
    _, said = ranks("[ $STRETTO_RANK = 0 ] && exit 0; echo error: $STRETTO_RANK; exit 75", ranks=2, status=75)
    expect(re.fullmatch(r"error: rank 1 \(pid \d+\): 1\n", said), said)
    os.remove("never")


def the_others_get_time():
    """Those that do not end by themselves get SIGTERM, then SIGKILL; those that do are left alone. All are told at once."""
    begin = time.monotonic()
    ranks("[ $STRETTO_RANK = 1 ] && exit 5; sleep 100", status=5, patience=50000)
    expect(time.monotonic() - begin < 40, "ranks that wait for others must end when they are told that one is gone")
    fails = "[ $STRETTO_RANK = 1 ] && exit 5; "
    trap = f"trap '' USR1; trap 'echo told > told.$STRETTO_RANK; exit 75' TERM; {MEET}"
    begin = time.monotonic()
    ranks(f"{trap} {fails} sleep 100 & wait", status=5, patience=2000)
    took = time.monotonic() - begin
    expect(took >= 2, f"SIGTERM came after {took} s")
    expect(os.path.exists("told.0") and os.path.exists("told.2") and not os.path.exists("told.1"), "SIGTERM did not come")
    ranks(f"trap '' USR1 TERM; {MEET} {fails} while true; do sleep 0.05; done", status=5, patience=100)
    ranks("[ $STRETTO_RANK = 1 ] && exit 75; sleep 100", status=75, patience=100)
    os.remove("told.0"), os.remove("told.2")
    ranks(f"{trap} {fails} sleep 0.3; exit 75", status=5, patience=60000)
    expect(not [name for name in os.listdir(".") if name.startswith("told")], "SIGTERM came too early")


def signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        name = number.name[3:]
        process, pids = started(f"trap 'echo {name} >> got.$STRETTO_RANK; exit {128 + number}' {name}")
        process.send_signal(number)
        _, said = process.communicate(timeout=LIMIT)
        expect(process.returncode == 128 + number and said == "", f"{name}: {process.returncode} {said}")
        expect(not any(map(is_there, pids)), f"a rank is left after {name}")
        expect([read(f"got.{rank}") for rank in range(3)] == [f"{name}\n".encode()] * 3, f"{name} did not come once")
    # A second one ends those that do not obey.
    process, pids = started("trap 'echo >> got.$STRETTO_RANK' INT", end="while true; do sleep 0.05; done")
    process.send_signal(signal.SIGINT)
    until(lambda: all(os.path.exists(f"got.{rank}") for rank in range(3)), "the first signal")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=LIMIT)
    expect(process.returncode == 128 + signal.SIGINT and not any(map(is_there, pids)), f"after two: {process.returncode}")


def nohup():
    """A SIGHUP that the launcher was started to ignore is none: the next signal is the first."""
    process, _ = started("trap 'echo >> got.$STRETTO_RANK; exit 143' TERM",
                         preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    time.sleep(0.1)
    expect(process.poll() is None, "SIGHUP ended it")
    process.send_signal(signal.SIGTERM)
    expect(process.wait(LIMIT) == 143 and [read(f"got.{rank}") for rank in range(3)] == [b"\n"] * 3, "after SIGHUP and SIGTERM")


def terminal():
    """Ctrl-C goes to all processes of the terminal's group at once: each rank still gets it once."""
    pid, master = pty.fork()
    script = "trap 'echo >> got.$STRETTO_RANK' INT; touch is.$STRETTO_RANK; until [ -e got.$STRETTO_RANK ]; do sleep 0.05; done; sleep 0.3; exit 130"
    if pid == 0:
        os.execvp("stretto-start-ranks", command(script))
    until(lambda: all(os.path.exists(f"is.{rank}") for rank in range(3)), "the ranks")
    os.write(master, b"\x03")
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    expect(status == 130 and [read(f"got.{rank}") for rank in range(3)] == [b"\n"] * 3, f"exit status {status}")
    os.close(master)


def no_orphans():
    process, pids = started("trap '' TERM INT HUP")
    process.kill()
    process.wait()
    until(lambda: not any(map(is_there, pids)), "the end of the ranks after that of the launcher")
    os.close(os.open("never", os.O_RDWR))  # lets end what they waited with
    # What a rank has started goes with it.
    ranks("sleep 60 & echo $! > helper.$STRETTO_RANK", ranks=2)
    until(lambda: not any(is_there(int(read(f"helper.{rank}"))) for rank in range(2)), "the end of helpers")


def restarts():
    # All have counted when the first one ends.
    count = ("trap '' USR1; echo \"$*\" >> runs.$STRETTO_RANK; attempt=$(wc -l < runs.$STRETTO_RANK); "
             "until [ $(cat runs.* | wc -l) = $((3 * attempt)) ]; do sleep 0.01; done; ")
    _, said = ranks(count + "[ $STRETTO_RANK = 1 -a $attempt = 1 ] && kill -9 $$; [ $STRETTO_RANK = 2 -a $attempt = 2 ] && exit 75;"
                    "[ $attempt -ge 3 ] || exit 75", restarts=2)
    expect(re.fullmatch(r"restart 1 of 2: rank 1 \(pid \d+\) ended by signal 9\n"
                        r"restart 2 of 2: rank \d \(pid \d+\) ended with status 75\n", said), said)
    expect(read("runs.2") == b"\n--resume\n--resume\n", f"arguments: {read('runs.2')}")
    # At most so often; other failures, and a stop, start nothing again.
    _, said = ranks("[ $STRETTO_RANK = 0 ] && exit 75; echo 'error: lost'; exit 75", ranks=2, restarts=3, status=75)
    expect(said.count("restart") == 3, said)
    for code in (1, 130, 143):
        _, said = ranks(f"exit {code}", restarts=3, status=code)
        expect("restart" not in said, said)
    process, _ = started("trap 'exit 75' TERM", restarts=3)
    process.send_signal(signal.SIGTERM)
    expect(process.wait(LIMIT) == 75 and "restart" not in process.stderr.read(), "started again after SIGTERM")


def what_cannot_be_started():
    done = subprocess.run(["stretto-start-ranks", "2", "0", "0", "/none/at-all"], capture_output=True, text=True)
    expect(done.returncode == 1, str(done.returncode))
    contains(done.stderr, "error: cannot start '/none/at-all': No such file or directory")


for check in (what_a_rank_is_told, the_socket_of_the_store, streams, who_fails_first, the_others_get_time, signals, nohup,
              terminal, no_orphans, restarts, what_cannot_be_started):
    for name in os.listdir("."):
        os.remove(name)
    check()
