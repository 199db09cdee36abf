"""stretto generate: answers do not depend on batch, chunk and threads; what prompts must be.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import re
import sys

from programs import HELLO, contains, empty, expect, program, run

folder = empty(sys.argv[1])
TASK = ["--task", "copy", "--batch", 4, "--length", 40, "--task-set", "n=6", "--task-set", "symbols=6"]
trained = program(HELLO, *TASK, "--set", "dim=16", "--set", "layers=1")
run(trained, *TASK[:2], *TASK[6:], "--threads", 1, "--steps", 60, "--lr", "1e-2", "--warmup", 5, "--quiet", "--out", f"{folder}/run")
prompts = ["3 1 4 1 5", "2", "1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5", "6 6", "5 4 3", "1 1 2 3 5"]
with open(f"{folder}/prompts.txt", "w") as file:
    file.write("\n".join(prompts[1:]))


def generate(*options, status=0):
    text = run("stretto", "generate", f"{folder}/run", "--threads", 1, *options, status=status)
    return [line for line in text.splitlines() if "tokens/s" not in line]


for how in ([], ["--decode", 0]):
    told = run("stretto", "generate", f"{folder}/run", "--threads", 1, "--prompt", "3 1 4; 2 5", "--write", 5, *how)
    contains(told, "10 tokens written and 5 read in ")
asked = ["--prompt", prompts[0], "--prompts", f"{folder}/prompts.txt", "--write", 9]
answers = generate(*asked)
expect([len(answer.split()) for answer in answers] == [9] * len(prompts), f"{answers}")
expect(generate("--prompt", "; ".join(prompts), "--write", 9) == answers, "a file and the command line differ")
for other in (["--batch", 1], ["--decode", 0], ["--decode", 1], ["--decode", 7, "--batch", 3], ["--length", 64, "--threads", 2]):
    expect(generate(*asked, *other) == answers, f"answers change with {other}")
end = answers[0].split()[2]
short = generate(*asked, "--end-token", end)
expect(short[0] == " ".join(answers[0].split()[: answers[0].split().index(end) + 1]), f"{short} does not end with {end}")
drawn = generate(*asked, "--temperature", 1, "--seed", 3)
expect(drawn == generate(*asked, "--temperature", 1, "--seed", 3, "--batch", 2) != answers, f"drawn answers: {drawn}")
expect(drawn != generate(*asked, "--temperature", 1, "--seed", 4), "the seed changes nothing")

listed = run("stretto", "data", "copy", "--set", "n=6", "--set", "symbols=6", "--vocabulary", "--json")
texts = {row["id"]: row["text"] for row in map(json.loads, listed.splitlines())}
expect(texts[0] == "<begin> " and texts[2] == "1 ", f"{texts}")
quiet = run("stretto", "generate", f"{folder}/run", "--threads", 1, "--prompt", "1", "--write", 2, "--quiet")
expect(re.fullmatch(r"\d+ \d+\n", quiet), f"--quiet leaves more than the answer: {quiet}")
numbers = generate("--prompt", "0 2 3 4; 1 5", "--write", 9)
spoken = generate("--text", "--prompt", "<begin> 1  2 3; <query> 4", "--write", 9)
expect(spoken == ["".join(texts[int(token)] for token in answer.split()).strip() for answer in numbers], f"{spoken} are not {numbers}")

contains("\n".join(generate(status=2)), "generate needs prompts")
contains("\n".join(generate("--prompt", "1 two", status=1)), "prompt 1: a prompt must be numbers of tokens, but got 'two'")
contains("\n".join(generate("--text", "--prompt", "1; 2 two", status=1)), "prompt 2: a prompt must be words of the vocabulary of task 'copy', but got 'two'")
contains("\n".join(generate("--prompt", "1 999", status=1)), "prompt 1: tokens must be in 0..7, but got 999")
contains("\n".join(generate("--prompt", "1 2 3", "--write", 39, status=1)), "compile with --length 41")
