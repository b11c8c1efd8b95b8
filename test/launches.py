"""Says what a call of each function of a manifest puts on the stream.

    python test/launches.py out.json [--size N]

Arguments are taken to be contiguous and aligned, and sizes that may be any to be
N. One line a function: how many launches of products, of other kernels, and
copies there are.
"""

import argparse
import json
import operator

DEVICE = {"multiprocessor_count": 132}
COMPARE = {"eq": operator.eq, "ne": operator.ne, "slt": operator.lt,
           "sle": operator.le, "sgt": operator.gt, "sge": operator.ge,
           "ult": operator.lt, "ule": operator.le, "ugt": operator.gt,
           "uge": operator.ge}
# No address or size here is negative, so that signs do not matter.
APPLY = {"addi": operator.add, "subi": operator.sub, "muli": operator.mul,
         "divsi": operator.floordiv, "divui": operator.floordiv,
         "floordivsi": operator.floordiv,
         "ceildivsi": lambda a, b: -(-a // b), "ceildivui": lambda a, b: -(-a // b),
         "remsi": operator.mod, "remui": operator.mod, "andi": operator.and_,
         "ori": operator.or_, "xori": operator.xor, "shli": operator.lshift,
         "shrsi": operator.rshift, "shrui": operator.rshift, "minsi": min,
         "maxsi": max, "minui": min, "maxui": max, "extsi": lambda a: a,
         "extui": lambda a: a, "trunci": lambda a: a}


class Call:
    def __init__(self, function, size):
        self.function = function
        self.shapes, self.strides = [], []
        for argument in function["arguments"]:
            shape = [size if n is None else n for n in argument.get("shape", [])]
            stride, count = [], 1
            for n in reversed(shape):
                stride.insert(0, count)
                count *= n
            self.shapes.append(shape)
            self.strides.append(stride)

    def value(self, number):
        entry = self.function["values"][number]
        op = entry["op"]
        if op == "constant":
            return int(entry["value"])
        if op in ("size", "stride"):
            table = self.shapes if op == "size" else self.strides
            return table[entry["argument"]][entry["dimension"]]
        if op in ("pointer", "buffer"):
            return (entry[op if op == "buffer" else "argument"] + 1) << 32
        if op == "module_constant":
            return 1 << 48
        if op == "scalar":
            return 1
        if op in DEVICE:
            return DEVICE[op]
        if op == "select":
            condition, yes, no = entry["operands"]
            return self.value(yes if self.value(condition) else no)
        operands = [self.value(operand) for operand in entry["operands"]]
        if op == "cmpi":
            return int(COMPARE[entry["predicate"]](*operands))
        return APPLY[op](*operands)

    def runs(self, step):
        return all(map(self.value, step["when"] or [])) and (
            step["kind"] == "copy" or all(map(self.value, step["grid"])))

    def count(self):
        counts = dict.fromkeys(("products", "others", "copies"), 0)
        for check in self.function["checks"]:
            if all(map(self.value, check["when"] or [])):
                assert self.value(check["value"]), check["message"]
        for step in filter(self.runs, self.function["steps"]):
            if step["kind"] == "copy":
                counts["copies"] += 1
            else:
                counts["products" if "_gemm" in step["kernel"] else "others"] += 1
        return counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("manifest")
    parser.add_argument("--size", type=int, default=512)
    options = parser.parse_args()
    with open(options.manifest) as file:
        manifest = json.load(file)
    for function in manifest["functions"]:
        counts = Call(function, options.size).count()
        print(function["name"] + ":", ", ".join(
            f"{count} {name}" for name, count in counts.items()))


main()
