"""What dropout leaves of numbers, in NumPy, from the text of seq.dropout and of the runtime's keys."""
import numpy as np


def keys_of_dropout(seed, first, batch, length):
    """Keys of the tokens of sequences first, first + 1, ... among all that training from this seed has."""
    def mix(z):
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))

    token = np.arange(first * length + 1, (first + batch) * length + 1, dtype=np.uint64)
    state = mix(np.array([seed], np.uint64))
    return (mix(state + token * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)).astype(np.uint32).reshape(batch, length)


def kept(keys, place, columns, rate):
    """Where columns, an array of their numbers, are kept."""
    def mix(x, added=np.uint32(0)):
        x = (x ^ (x >> np.uint32(16))) * np.uint32(0x21F0AAAD)
        x = ((x ^ (x >> np.uint32(15))) + added) * np.uint32(0xD35A2D97)
        return x ^ (x >> np.uint32(15))

    golden = np.uint32(0x9E3779B9)
    keys, place, columns = (np.asarray(x).astype(np.uint32) for x in (keys, place, columns))
    a = mix(keys ^ (place * golden))
    return mix(a ^ columns, mix(a + golden)) >= np.uint32(min(int(rate * 2**32 + 0.5), 2**32 - 1))


def dropout(x, place, keys, rate, columns):
    return np.where(kept(keys, place, columns, rate), x * (1 / (1 - rate)), 0.0)
