"""Exports the end of a language model to linalg with torch-mlir: norm, logits and
the cross-entropy loss, which leaves out targets that are -100.

    python test/Integration/export/lm_head.py loss [--dynamic]
    python test/Integration/export/lm_head.py logits [--dynamic]
    python test/Integration/export/lm_head.py after-mlp [--dynamic]

`loss` gives the loss alone, as in evaluation; `logits` the logits too, in f32
as Hugging Face's loss functions upcast them. `after-mlp` gives the loss, and
begins with the last down projection and its residual.
"""

import torch
from torch.nn.functional import cross_entropy, linear

from exporting import BATCH, SEQUENCE, export, parse_arguments, rms_norm, tensors

WIDTH, INNER, VOCABULARY = 128, 256, 512


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


class AfterMlp(Loss):
    def forward(self, h, down, x, g, w, targets):
        return super().forward(x + linear(h, down), g, w, targets)


def main():
    options = parse_arguments("loss", "logits", "after-mlp")
    arguments = tensors((BATCH, SEQUENCE, WIDTH), (WIDTH,), (VOCABULARY, WIDTH))
    arguments += tensors((BATCH, SEQUENCE), dtype=torch.int64)
    dynamic = [(1,), (), (), (1,)]
    if options.variant == "after-mlp":
        arguments = tensors((BATCH, SEQUENCE, INNER), (WIDTH, INNER)) + arguments
        dynamic = [(1,), ()] + dynamic
        module = AfterMlp()
    else:
        module = Loss() if options.variant == "loss" else Logits()
    export(module, arguments, "head", options.dynamic and dynamic)


if __name__ == "__main__":
    main()
