"""The measured shapes: width -> layers, batch, length."""
SHAPES = {64: (4, 8, 256), 256: (4, 4, 512), 768: (2, 2, 512)}
VOCABULARY = 512
