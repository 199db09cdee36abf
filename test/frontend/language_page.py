# RUN: %python3 %s %root/docs/language.md %t
"""Compiles every example of docs/language.md.

```stretto           must elaborate
```stretto errors    must fail, with exactly the errors in the block that follows
```stretto weights   must have exactly the weights in the block that follows
`set=name=value` behind one of these is an override.
"""
import re
import subprocess
import sys
from pathlib import Path

page, folder = Path(sys.argv[1]).read_text(encoding="utf-8"), Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
blocks = [(match[1].split(), match[2]) for match in re.finditer(r"^```(.*)\n((?:(?!```).*\n)*?)```$", page, re.M)]
failures = ran = 0
for index, (words, text) in enumerate(blocks):
    if not words or words[0] != "stretto":
        continue
    ran += 1
    (folder / "m.stretto").write_text(text, encoding="utf-8")
    overrides = ["--set=" + word[4:] for word in words if word.startswith("set=")]
    done = subprocess.run(["stretto-frontend-test", "m.stretto", "--vocabulary=16", *overrides], cwd=folder,
                          capture_output=True, text=True)
    expected = blocks[index + 1][1] if {"errors", "weights"} & set(words) else ""
    if "errors" in words:
        good = done.returncode != 0 and done.stderr == expected
    elif "weights" in words:
        names = re.findall(r'#seq\.part<"([^"]+)"', done.stdout)
        good = done.returncode == 0 and names == expected.split()
    else:
        good = done.returncode == 0
    if not good:
        failures += 1
        print(f"{text}gives (status {done.returncode}):\n{done.stderr or done.stdout}expected:\n{expected}")
print(f"{ran} examples")
sys.exit(failures > 0 or ran < 7)
