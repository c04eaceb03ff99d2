# SPDX-License-Identifier: Apache-2.0
"""The starter pack in plain Python: what the C++ towers and tables are compared with.

Run by hand only; nothing that builds, tests or runs Bifocal calls it.  README.md beside this file
states every rule in words.
"""

import json
import math
import os
import re
from collections import OrderedDict

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from tokenizers import Tokenizer
from safetensors.torch import load_file

COLOURS = ("black", "white", "grey", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown")
MAX_TOKENS = 128
LOOKS_SIZE = 128
SIDE = 224

# repeat, kernel, stride, expand, out
BLOCKS = ((1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80),
          (3, 5, 1, 6, 112), (4, 5, 2, 6, 192), (1, 3, 1, 6, 320))


# ---------------------------------------------------------------- text tower
class TextTower:
    """BERT of 6 layers in plain matrix products (checked against transformers' BertModel)."""

    def __init__(self, folder):
        self.weights = load_file(os.path.join(folder, "model.safetensors"))
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_length=MAX_TOKENS)

    def ids(self, text):
        return self.tokenizer.encode(text).ids

    def _linear(self, x, name):
        return F.linear(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def _norm(self, x, name):
        return F.layer_norm(x, (384,), self.weights[name + ".weight"], self.weights[name + ".bias"], 1e-12)

    def _layer(self, x, i, bias):
        p = f"encoder.layer.{i}."
        b, n, _ = x.shape
        q, k, v = (self._linear(x, p + "attention.self." + w).view(b, n, 12, 32).transpose(1, 2)
                   for w in ("query", "key", "value"))
        scores = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(32) + bias, dim=-1)
        mixed = (scores @ v).transpose(1, 2).reshape(b, n, 384)
        x = self._norm(x + self._linear(mixed, p + "attention.output.dense"), p + "attention.output.LayerNorm")
        inner = F.gelu(self._linear(x, p + "intermediate.dense"))  # the exact (erf) form
        return self._norm(x + self._linear(inner, p + "output.dense"), p + "output.LayerNorm")

    def _batch(self, lists):
        n = max(map(len, lists))
        ids = torch.tensor([l + [0] * (n - len(l)) for l in lists])
        mask = torch.tensor([[1.0] * len(l) + [0.0] * (n - len(l)) for l in lists])
        x = (self.weights["embeddings.word_embeddings.weight"][ids]
             + self.weights["embeddings.position_embeddings.weight"][:n]
             + self.weights["embeddings.token_type_embeddings.weight"][0])
        x = self._norm(x, "embeddings.LayerNorm")
        bias = ((1.0 - mask) * -1e9)[:, None, None, :]
        for i in range(6):
            x = self._layer(x, i, bias)
        mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        return F.normalize(mean, dim=1)

    @torch.no_grad()
    def embed(self, texts, batch=32):
        """[n,384] of unit length; sorted by length so that padding stays small."""
        lists = [self.ids(t) for t in texts]
        order = sorted(range(len(texts)), key=lambda i: len(lists[i]))
        out = torch.empty(len(texts), 384)
        for at in range(0, len(order), batch):
            part = order[at:at + batch]
            out[part] = self._batch([lists[i] for i in part])
        return out


# ---------------------------------------------------------------- image tower
def same_pad(x, kernel, stride, value=0.0):
    """TensorFlow's "same": the odd pixel goes right and below."""
    def both(n):
        total = max((math.ceil(n / stride) - 1) * stride + kernel - n, 0)
        return total // 2, total - total // 2
    top, bottom = both(x.shape[2])
    left, right = both(x.shape[3])
    return F.pad(x, (left, right, top, bottom), value=value)


class ImageTower:
    """EfficientNet-Lite0 with the batch norms left in, as it was trained."""

    def __init__(self, pth):
        self.w = torch.load(pth, map_location="cpu", weights_only=True)
        assert isinstance(self.w, OrderedDict) and len(self.w) == 296

    def _bn(self, x, name):
        w = self.w
        return F.batch_norm(x, w[name + ".running_mean"], w[name + ".running_var"],
                            w[name + ".weight"], w[name + ".bias"], False, 0.0, 1e-3)

    def _conv(self, x, name, stride=1, groups=1):
        weight = self.w[name + ".weight"]
        return F.conv2d(same_pad(x, weight.shape[2], stride), weight, None, stride, 0, 1, groups)

    @torch.no_grad()
    def __call__(self, x):
        """x: [n,3,224,224] already normalised -> features [n,1280], logits [n,1000]."""
        x = F.relu6(self._bn(self._conv(x, "_conv_stem", 2), "_bn0"))
        at = 0
        for repeat, _, stride, expand, _ in BLOCKS:
            for r in range(repeat):
                x = self._block(x, f"_blocks.{at}.", stride if r == 0 else 1, expand)
                at += 1
        x = F.relu6(self._bn(self._conv(x, "_conv_head"), "_bn1"))
        features = x.mean((2, 3))
        return features, F.linear(features, self.w["_fc.weight"], self.w["_fc.bias"])

    def _block(self, x, p, stride, expand):
        kept = x
        if expand != 1:
            x = F.relu6(self._bn(self._conv(x, p + "_expand_conv"), p + "_bn0"))
        x = F.relu6(self._bn(self._conv(x, p + "_depthwise_conv", stride, x.shape[1]), p + "_bn1"))
        x = self._bn(self._conv(x, p + "_project_conv"), p + "_bn2")
        return x + kept if stride == 1 and x.shape == kept.shape else x


# ---------------------------------------------------------------- pictures
def over_white(rgba):
    """uint8 [h,w,4] -> uint8 [h,w,3]: (c*a + 255*(255-a) + 127) div 255."""
    c = rgba[:, :, :3].astype(np.int32)
    a = rgba[:, :, 3:].astype(np.int32)
    return ((c * a + 255 * (255 - a) + 127) // 255).astype(np.uint8)


def pad_square(rgb):
    """Centred on white; the odd column or row goes right or below."""
    h, w, _ = rgb.shape
    side = max(h, w)
    out = np.full((side, side, 3), 255, np.uint8)
    top, left = (side - h) // 2, (side - w) // 2
    out[top:top + h, left:left + w] = rgb
    return out


def to_input_picture(rgba):
    """uint8 [h,w,4] -> uint8 [224,224,3]; Pillow's antialiased bicubic (a = -0.5), horizontal first."""
    square = pad_square(over_white(rgba))
    return np.asarray(Image.fromarray(square, "RGB").resize((SIDE, SIDE), Image.Resampling.BICUBIC))


def normalised(pictures):
    x = torch.from_numpy(np.stack(pictures).astype(np.float32))
    return ((x - 127.0) / 128.0).permute(0, 3, 1, 2).contiguous()


def load_rgba(path):
    with Image.open(path) as im:
        return np.asarray(im.convert("RGBA"))


# ---------------------------------------------------------------- colours
def colour_thumbnail(rgba, limit=96):
    """Longest side at most 96 (never enlarged), alpha-weighted area average."""
    h, w, _ = rgba.shape
    longest = max(h, w)
    if longest <= limit:
        return rgba
    size = tuple(max(1, (2 * n * limit + longest) // (2 * longest)) for n in (w, h))
    return np.asarray(Image.fromarray(rgba, "RGBA").resize(size, Image.Resampling.BOX))


def colour_of_pixels(rgb):
    """uint8 [n,3] -> index into COLOURS."""
    rgb = rgb.astype(np.float64)
    high, low = rgb.max(1), rgb.min(1)
    delta = high - low
    v = high / 255.0
    s = np.divide(delta, high, out=np.zeros_like(v), where=high > 0)
    d = np.where(delta > 0, delta, 1.0)
    r, g, b = rgb[:, 0], rgb[:, 1], rgb[:, 2]
    h = np.where(high == r, (g - b) / d % 6.0, np.where(high == g, (b - r) / d + 2.0, (r - g) / d + 4.0)) * 60.0
    h = np.where(delta > 0, h, 0.0)
    index = {name: i for i, name in enumerate(COLOURS)}
    out = np.full(len(rgb), index["grey"])
    out[v < 0.2] = index["black"]
    out[(s < 0.15) & (v > 0.85)] = index["white"]
    vivid = (s >= 0.2) & (v >= 0.2)
    for name, low_h, high_h in (("red", 0, 15), ("red", 345, 361), ("orange", 15, 42), ("yellow", 42, 68),
                                ("green", 68, 165), ("blue", 165, 255), ("purple", 255, 300), ("pink", 300, 345)):
        out[vivid & (h >= low_h) & (h < high_h)] = index[name]
    out[vivid & (h >= 10) & (h < 45) & (v < 0.65)] = index["brown"]
    out[vivid & ((h >= 330) | (h < 15)) & (v > 0.75) & (s < 0.55)] = index["pink"]
    return out


def colour_shares(rgba):
    """[11]; zeros when no pixel is opaque (alpha >= 128)."""
    thumb = colour_thumbnail(rgba)
    pixels = thumb[thumb[:, :, 3] >= 128][:, :3]
    if len(pixels) == 0:
        return np.zeros(len(COLOURS))
    return np.bincount(colour_of_pixels(pixels), minlength=len(COLOURS)) / len(pixels)


# ---------------------------------------------------------------- joining the towers
def class_words(folder):
    """[(name, synonyms, description)] for 1,000 classes; 25 have neither of the latter two."""
    names = json.load(open(os.path.join(folder, "imagenet1k_clean_names.json"), encoding="utf-8"))
    extra = json.load(open(os.path.join(folder, "imagenet1k_gpt_names_descriptions.json"), encoding="utf-8"))
    out = []
    for i, name in enumerate(names):
        e = extra.get(str(i), {})
        out.append((name, e.get("name") or [name], e.get("description") or name))
    return out


def class_sentences(words):
    """The 3,397 sentences, class by class: "a " + name, each "a " + synonym, description."""
    return [s for name, synonyms, description in words
            for s in ["a " + name, *("a " + x for x in synonyms), description]]


class Head:
    """T, mu, C and V of starter_pack.md."""

    def __init__(self, words, embedded, fc_weight):
        rows, at = [], 0
        for _, synonyms, _ in words:
            n = len(synonyms)
            name, syn, description = embedded[at], embedded[at + 1:at + 1 + n], embedded[at + 1 + n]
            rows.append(F.normalize(name + F.normalize(syn.mean(0), dim=0) + description, dim=0))
            at += n + 2
        assert at == len(embedded)
        self.T = torch.stack(rows)
        self.mu = self.T.mean(0)
        self.C = F.normalize(self.T - self.mu, dim=1)
        w = fc_weight.double()
        _, self.singular, vh = torch.linalg.svd(w - w.mean(0), full_matrices=False)
        v = vh[:LOOKS_SIZE].T
        largest = v.abs().argmax(0)
        sign = torch.sign(v[largest, torch.arange(LOOKS_SIZE)])
        self.V = (v * sign).float()

    def picture_words(self, logits):
        return F.normalize(torch.softmax(logits, 1) @ self.C, dim=1)

    def text_words(self, embedded):
        return F.normalize(embedded - self.mu, dim=1)

    def looks(self, features):
        return F.normalize(features @ self.V, dim=1)


def clean_prompt(text):
    """Trim white space, drop one final '.' or '!', lower-case."""
    text = text.strip()
    if text[-1:] in (".", "!"):
        text = text[:-1]
    return text.lower()


def colours_named(text):
    """Indices into COLOURS of the whole words that name a colour, each once, "gray" = "grey"."""
    found = {("grey" if w == "gray" else w) for w in re.findall(r"[a-z]+", text.lower())}
    return [i for i, name in enumerate(COLOURS) if name in found]
