# SPDX-License-Identifier: Apache-2.0
"""Pictures made by integer formulas, the same in Python and C++ (README.md, "Synthetic pictures")."""

import numpy as np

MASK = (1 << 64) - 1


def splitmix64(z):
    """Array of uint64 -> array of uint64."""
    with np.errstate(over="ignore"):
        z = z + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def wave(p):
    """A parabola's sine of period 256, integers 0..255."""
    p = p & 255
    q = p & 127
    bump = (q * (128 - q)) >> 5
    return np.minimum(np.where(p < 128, 128 + bump, 128 - bump), 255)


def noise(w, h, seed):
    y, x, c = np.mgrid[0:h, 0:w, 0:3]
    return splitmix64(((y * w + x) * 4 + c + seed).astype(np.uint64)) >> np.uint64(56)


def waves(w, h, seed):
    y, x, c = np.mgrid[0:h, 0:w, 0:3]
    return wave(x * (seed + 1) + y * (2 * c + seed % 3 + 1) + c * 85)


def tiles(w, h, seed):
    y, x, c = np.mgrid[0:h, 0:w, 0:3]
    return splitmix64((((y // 16) * 1024 + x // 16) * 4 + c + seed).astype(np.uint64)) >> np.uint64(56)


def gradient(w, h, seed):
    y, x, c = np.mgrid[0:h, 0:w, 0:3]
    across, down = (255 * x) // max(w - 1, 1), (255 * y) // max(h - 1, 1)
    return np.choose((c + seed) % 3, (across, down, 255 - (across + down) // 2))


def disc(w, h, seed):
    y, x = np.mgrid[0:h, 0:w]
    inside = (2 * x + 1 - w) ** 2 + (2 * y + 1 - h) ** 2 <= (min(w, h) * 3 // 4) ** 2
    colour = splitmix64(np.arange(3, dtype=np.uint64) + np.uint64(seed)) >> np.uint64(56)
    return np.where(inside[:, :, None], colour.astype(np.int64), waves(w, h, seed))


def mixed(w, h, seed):
    return (3 * waves(w, h, seed) + noise(w, h, seed).astype(np.int64)) // 4


def alpha_opaque(w, h):
    return np.full((h, w), 255)


def alpha_stripes(w, h):
    y, x = np.mgrid[0:h, 0:w]
    return np.choose(((x + y) // 7) % 3, (0, 128, 255))


def alpha_radial(w, h):
    y, x = np.mgrid[0:h, 0:w]
    far = (2 * x + 1 - w) ** 2 + (2 * y + 1 - h) ** 2
    return 255 - np.minimum(255, 255 * far // (max(w, h) ** 2))


def alpha_clear(w, h):
    return np.zeros((h, w))


KINDS = {f.__name__: f for f in (noise, waves, tiles, gradient, disc, mixed)}
ALPHAS = {f.__name__[6:]: f for f in (alpha_opaque, alpha_stripes, alpha_radial, alpha_clear)}


def picture(spec):
    """{"kind","width","height","seed","alpha"} -> uint8 [h,w,4]."""
    w, h = spec["width"], spec["height"]
    rgb = KINDS[spec["kind"]](w, h, spec["seed"])
    return np.dstack([rgb, ALPHAS[spec["alpha"]](w, h)]).astype(np.uint8)
