"""bench/gpu/run.py starts the forms that give weights, then ours, then the others; without a ranking the usual ones.

RUN: %python %s %root
"""
import sys

sys.path.insert(0, f"{sys.argv[1]}/bench/gpu")
from children import Variant
from rank import unranked
from run import in_starting_order, share, theirs

for small, givers in ((False, 2), (True, 1)):
    others, names = theirs(unranked({"attention_seconds": {"flash": 2.0, "cudnn": 1.0}}, small), "work", small)
    mine = [Variant("stretto 32k canon", None, ["program"]), Variant("stretto 2k canon", None, ["program"])]
    for variant in mine:
        variant.key = dict(zip(("tokens", "kind"), variant.name.split()[1:]))
    share(mine, others, names, "work")
    order = in_starting_order(mine, others)
    assert [v for v in order if v.settings and "weights" in v.settings] == order[:givers], [v.name for v in order]
    assert order[givers : givers + 2] == mine and len(order) == len(mine) + len(others), [v.name for v in order]
    assert all(v.settings["attention"] == "cudnn" for v in others)
    assert mine[0].command[-2:] == ["--init-from", "work/weights-canon.safetensors"] and mine[1].command == ["program"]
