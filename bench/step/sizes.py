"""The measured models and shapes."""
# Name -> width, layers, batch, length.
SHAPES = {"64": (64, 4, 8, 256), "256": (256, 4, 4, 512), "768": (768, 2, 2, 512), "256-long": (256, 2, 1, 2048)}
VOCABULARY = 512

# What our programs are compiled with, by what is measured. The last one has all convolutions, as PyTorch's have that have
# any; Canon's cost is that of the last over the one before.
LLAMA = {"none": "{}", "canon": "{A, B, C, D}"}
MIXER = {"none": "{}", "b": "{b}", "canon": "{A, b, C, D}"}
CANON_SETS = {"llama": LLAMA, "gla": MIXER, "gdn": MIXER, "mamba2": MIXER}
