# REQUIRES: runtime
# RUN: %python3 %s %S/Inputs %t
"""When the job of --print-sbatch asks SLURM to start it again. Scripts stand in for stretto, srun and scontrol."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

inputs, folder = Path(sys.argv[1]), Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
(folder / "bin").mkdir(parents=True)


def stand_in(name, script):
    (folder / "bin" / name).write_text(f"#!/bin/bash\n{script}\n")
    (folder / "bin" / name).chmod(0o755)


def job(status, restart=None, compiles=True):
    """Runs the job where srun ends with a status; returns its own, and what scontrol was told."""
    stand_in("stretto", "[ $1 = program ] && echo /the/program" if compiles else "exit 3")
    stand_in("srun", f'echo "$@" > {folder}/srun; exit {status}')
    stand_in("scontrol", f'echo "$@" > {folder}/scontrol')
    for name in ("srun", "scontrol"):
        (folder / name).unlink(missing_ok=True)
    count = {} if restart is None else {"SLURM_RESTART_COUNT": str(restart)}
    done = subprocess.run(["bash", folder / "job.sh"], stderr=subprocess.DEVNULL,
                          env={**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "SLURM_JOB_ID": "77", **count})
    said = folder / "scontrol"
    return done.returncode, said.read_text() if said.exists() else ""


script = subprocess.run(["stretto", "train", inputs / "llama.stretto", "--task", "depo1", "--ranks", "2", "--print-sbatch",
                         "--max-restarts", "2", "--out", folder / "run"], capture_output=True, text=True, check=True)  # fmt: skip
(folder / "job.sh").write_text(script.stdout)
again = "requeue 77\n"
assert job(0) == (0, "")
arguments = (folder / "srun").read_text().split()
assert arguments[arguments.index("/the/program") :] == ["/the/program", "--task", "depo1", "--out", f"{folder}/run", "--resume"]
assert job(1) == (1, "")
assert job(75) == (75, again)
assert job(75, restart=1) == (75, again)
assert job(75, restart=2) == (75, "")
assert job(137, restart=1) == (137, again)
assert job(137, restart=2) == (137, "")
assert job(143, restart=9) == (143, again)  # the time limit
assert job(0, compiles=False) == (3, "") and not (folder / "srun").exists()
