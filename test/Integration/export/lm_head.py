"""Exports the end of a language model to linalg with torch-mlir: the last down
projection, residual, norm, logits and the cross-entropy loss, which leaves out
targets that are -100.

    python test/Integration/export/lm_head.py loss [--dynamic]
    python test/Integration/export/lm_head.py logits [--dynamic]

`loss` gives the loss alone, as in evaluation; `logits` the logits too, in f32
as Hugging Face's loss functions upcast them.
"""

import torch
from torch.nn.functional import cross_entropy, linear

from exporting import BATCH, SEQUENCE, export, parse_arguments, rms_norm, tensors

WIDTH, VOCABULARY = 128, 512


def get_logits(x, g, w):
    return linear(rms_norm(x, g), w)


class Loss(torch.nn.Module):
    def forward(self, x, g, w, targets):
        logits = get_logits(x, g, w).to(torch.float32)
        return cross_entropy(logits.view(-1, VOCABULARY), targets.view(-1),
                             ignore_index=-100)


class Logits(torch.nn.Module):
    def forward(self, x, g, w, targets):
        logits = get_logits(x, g, w)
        upcast = logits.to(torch.float32)
        return logits, cross_entropy(upcast.view(-1, VOCABULARY), targets.view(-1),
                                     ignore_index=-100)


def main():
    options = parse_arguments("loss", "logits")
    module = Loss() if options.variant == "loss" else Logits()
    arguments = tensors((BATCH, SEQUENCE, WIDTH), (WIDTH,), (VOCABULARY, WIDTH))
    arguments += tensors((BATCH, SEQUENCE), dtype=torch.int64)
    export(module, arguments, "head", options.dynamic and [(1,), (), (), (1,)])


if __name__ == "__main__":
    main()
