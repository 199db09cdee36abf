"""Every mistake in what a task is made from, as docs/errors.md tells it.

REQUIRES: runtime
RUN: %python3 %s %t
"""
import json
import os
import shutil
import struct
import sys

from programs import ROOT, Promises, empty, obeying_permissions

folder = empty(sys.argv[1])
os.chdir(folder)
promises = Promises("Tasks")


def check(mistake, task, *settings, options=()):
    words = [word for setting in settings for word in ("--set", setting)]
    promises.check(mistake, obeying_permissions(["stretto", "data", task, *words, *options]), status=2)


def write(name, content):
    with open(name, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return name


def unreadable(name):
    """A file that nobody may read."""
    os.chmod(write(name, "text"), 0)
    return name


def sizes():
    check("an instance longer than a sequence", "depo1", "length=512")
    check("rare instances longer than a sequence", "brevo1", "length=256")
    check("a biography longer than a sequence", "capo", "length=64")
    check("sentences longer than a sequence", "lano", "length=256")
    check("a file shorter than two sequences", "tokens", f"file={tokens('short.tokens', range(9))}", "length=8")
    check("too many names for an alphabet", "depo2", "v=2", "r_max=5", "r_min=5")
    check("too few names for the people", "hops", "names=2", "people=9")
    check("more people than names", "capo", "n=200000000")


def grammars():
    def refuse(mistake, text):
        check(mistake, "lano", f"grammar={write('own.grammar', text)}")

    refuse("a cycle", "terminals a b\nS -> A b\nA -> a | S b\n")
    refuse("a symbol that is never reached", "terminals a b\nS -> a b\nT -> a a\n")
    refuse("a symbol without rules", "terminals a b\nS -> Node b\nNod -> a\n")
    refuse("a terminal that is never used", "terminals a b c\nS -> a b\n")
    refuse("a rule of too many symbols", "terminals a\nS -> a |" + 17 * " a" + "\n")
    refuse("a rule of none", "terminals a\nS -> a |\n")
    refuse("a rule that stands twice", "terminals a\nS -> a\n  | a a | a\n")
    refuse("a line that is no rule", "terminals a\nS a\n")
    refuse("a grammar that is no text", b"\x7fELF\0")
    refuse("sentences without measure", "terminals a\n" + "".join(f"N{i} -> N{i + 1} N{i + 1}\n" for i in range(20)) + "N20 -> a\n")
    check("an unknown grammar", "lano", "grammar=cfg3l")
    check("a grammar that cannot be read", "lano", f"grammar={unreadable('secret.grammar')}")


def lists():
    shutil.copytree(f"{ROOT}/tasks/capo/lists", "lists")

    def refuse(mistake, name, text):
        kept = shutil.copy(f"lists/{name}.txt", "kept")
        write(f"lists/{name}.txt", text)
        check(mistake, "capo", "lists=lists")
        shutil.move(kept, f"lists/{name}.txt")

    refuse("a name that stands twice", "first", "Ann\nBob\nAnn\n")
    refuse("a list with an empty line", "last", "Hill\n\nStone\n")
    refuse("a list that is no text", "majors", b"Law\nAr\xe9\n")
    refuse("an employer in an unknown city", "employers", "Acme | Osslo\n")
    write("lists/work_cities.txt", "Gotham\n")
    refuse("an employer in a city that the list of work cities lacks", "employers", "Acme | Oslo\n")
    os.remove("lists/work_cities.txt")
    os.mkfifo("lists/work_cities.txt")
    check("a pipe in place of a list", "capo", "lists=lists")
    os.remove("lists/work_cities.txt")
    refuse("a sentence without its value", "sentences_major", "{He} studied.\n")
    refuse("an unknown placeholder", "sentences_major", "{He} studied {mayor}.\n")
    os.remove("lists/cities.txt")
    check("a list that is missing", "capo", "lists=lists")


def texts():
    write("blank.txt", " \n\n")
    check("a text without words", "hops", "file=blank.txt")
    check("an empty text", "hops", f"file={write('empty.txt', '')}")
    check("a text that is none", "hops", f"file={write('image.txt', bytes([0x89, 10, 0]))}")
    check("a folder in place of a text", "hops", "file=lists")
    check("a text that cannot be read", "hops", f"file={unreadable('secret.txt')}")


def tokenizers():
    letters, after = {}, 256  # how the files write bytes
    for byte in range(256):
        prints = 33 <= byte <= 126 or byte >= 161 and byte != 173
        letters[byte] = chr(byte if prints else after)
        after += not prints
    good = {letter: number for number, letter in enumerate(letters.values())} | {"he": 256}
    os.mkdir("gpt2")

    def refuse(mistake, vocabulary=json.dumps(good), merges="#version: 0.2\nh e\n", options=()):
        write("gpt2/vocab.json", vocabulary)
        write("gpt2/merges.txt", merges)
        check(mistake, "capo", "vocabulary=gpt2", options=options)

    refuse("a vocabulary that ends early", '{"a": 0,\n "b": 1')
    refuse("a vocabulary that is no list of ids", '{"a": 0,\n "b": null}')
    refuse("an id that two tokens have", '{"a": 0,\n "b": 0}')
    refuse("a merge of three", merges="h e y\n")
    refuse("a merge that makes no token", merges="#version: 0.2\nh y\n")
    refuse("a vocabulary that lacks a byte", json.dumps({letter: i for letter, i in good.items() if letter != "w"}))
    refuse("a vocabulary that lacks the end of texts", options=["--ids=published"])
    os.remove("gpt2/merges.txt")
    check("a file of a vocabulary that is missing", "capo", "vocabulary=gpt2")


def tokens(name, ids, vocabulary=9, version=1):
    ids = list(ids)
    return write(name, b"sttokens" + struct.pack("<IIQqqQ", version, 2, vocabulary, -1, -1, len(ids)) + struct.pack(f"<{len(ids)}H", *ids))


def token_files():
    def refuse(mistake, content):
        check(mistake, "tokens", f"file={write('own.tokens', content)}", "length=4")

    with open(tokens("good.tokens", range(9)), "rb") as file:
        good = file.read()
    check("no token file", "tokens")
    refuse("a header that ends early", good[:40])
    refuse("what is no token file", "once upon a time, there was a file of 48 bytes and more")
    refuse("a token file that ends early", good[:-3])
    refuse("a version that is not known", good[:8] + b"\2" + good[9:])
    refuse("an id outside of the vocabulary", good[:-2] + b"\x28\0")


for part in (sizes, grammars, lists, texts, tokenizers, token_files):
    part()
promises.finish()
