"""Writes a function that compares casts of 8-bit floats with values that are
computed here, from what the formats mean: the nearest number, of two equally
near ones the even one. It returns the number of differences of each cast."""

import bisect
import math
import random
import struct

# exponent bits, mantissa bits, has infinities
FORMATS = {"f8E4M3FN": (4, 3, False), "f8E5M2": (5, 2, True)}
# pattern of struct, mantissa bits, smallest exponent
SOURCES = {"f32": ("f", 23, -149), "f64": ("d", 52, -1074)}


def decode(bits, exponent_bits, mantissa_bits, has_infinity):
    sign = -1.0 if bits & 0x80 else 1.0
    exponent = (bits & 0x7F) >> mantissa_bits
    mantissa = bits & ((1 << mantissa_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    if has_infinity and exponent == (1 << exponent_bits) - 1:
        return sign * math.inf if mantissa == 0 else math.nan
    if not has_infinity and bits & 0x7F == 0x7F:
        return math.nan
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - mantissa_bits)
    return sign * math.ldexp(
        mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits
    )


def encoder(name):
    _, mantissa_bits, has_infinity = FORMATS[name]
    count = 0x7C if has_infinity else 0x7F
    values = [decode(i, *FORMATS[name]) for i in range(count)]
    # What the next number would be if the format went on.
    values.append(2 * values[-1] - values[-2])
    middles = [(a + b) / 2 for a, b in zip(values, values[1:])]

    def encode(x):
        sign = 0x80 if math.copysign(1, x) < 0 else 0
        x = abs(x)
        if math.isnan(x):
            return sign | 0x7F  # any NaN: the test looks only at that
        i = bisect.bisect_left(middles, x)
        if i < len(middles) and middles[i] == x and i % 2:
            i += 1  # a tie between an odd and an even one
        return sign | i

    return encode, values, middles


def inputs(name, source):
    """Every number and every tie of the format, their neighbours, and numbers
    of all sizes."""
    pattern, mantissa_bits, smallest = SOURCES[source]
    _, values, middles = encoder(name)
    points = [math.inf, math.nan, math.ldexp(1, smallest), math.ldexp(1, -127)]
    for x in values + middles:
        points += [x, math.nextafter(x, 0), math.nextafter(x, math.inf)]
        if source == "f32" and x:
            ulp = math.ldexp(1, math.frexp(x)[1] - 24)
            points += [x - ulp, x + ulp]
    generator = random.Random(name + source)
    points += [
        math.ldexp(generator.uniform(1, 2), generator.randrange(-24, 18))
        for _ in range(4000)
    ]
    points += [math.ldexp(1, e) for e in range(-126, 127)]
    points += [-x for x in points]
    # Round to the source type, where Python's doubles are finer.
    return [struct.unpack(pattern, struct.pack(pattern, x))[0] for x in points]


def hexadecimal(pattern, values):
    return 'dense<"0x' + struct.pack(f"<{len(values)}{pattern}", *values).hex() + '">'


def loop(result, count, lines):
    """A loop that counts for how many %i the i1 %differs holds."""
    body = "\n".join("    " + line for line in lines)
    print(f"""  {result} = scf.for %i = %c0 to %{count} step %c1 iter_args(%n = %zero) -> (i32) {{
{body}
    %d = arith.extui %differs : i1 to i32
    %next = arith.addi %n, %d : i32
    scf.yield %next : i32
  }}""")


def compare(expected, got, type):
    """Lines that set %differs; NaNs are equal, 0 and -0 are not."""
    integer = "i" + type.split("f")[1][:2] if type in SOURCES else "i8"
    return [
        f"%x = arith.bitcast {expected} : {type} to {integer}",
        f"%y = arith.bitcast {got} : {type} to {integer}",
        f"%other = arith.cmpi ne, %x, %y : {integer}",
        *wide(expected, "%ew", type),
        *wide(got, "%gw", type),
        "%en = arith.cmpf uno, %ew, %ew : f64",
        "%gn = arith.cmpf uno, %gw, %gw : f64",
        "%both = arith.andi %en, %gn : i1",
        "%differs = arith.select %both, %false, %other : i1",
    ]


def wide(value, name, type):
    if type == "f64":
        return [f"{name} = arith.addf {value}, %nought : f64"]
    return [f"{name} = arith.extf {value} : {type} to f64"]


def main():
    outcomes = []
    lengths = {f: 256 for f in FORMATS}
    cases = {}
    for name in FORMATS:
        for source in SOURCES:
            cases[name, source] = inputs(name, source)
    print("func.func @main() -> (%s) {" % ", ".join(["i32"] * 4 * len(FORMATS)))
    print("  %zero = arith.constant 0 : i32\n  %false = arith.constant false")
    print("  %nought = arith.constant -0.0 : f64")
    for n in {0, 1, 256, *map(len, cases.values())}:
        print(f"  %c{n} = arith.constant {n} : index")
    for name, format in FORMATS.items():
        bits = range(256)
        values = [decode(b, *format) for b in bits]
        print(f"  %{name}_bits = arith.constant {hexadecimal('B', bits)} : tensor<256xi8>")
        for source, (pattern, _, _) in SOURCES.items():
            print(
                f"  %{name}_{source} = arith.constant "
                f"{hexadecimal(pattern, values)} : tensor<256x{source}>"
            )
            outcomes.append(f"%{name}_from_{source}")
            loop(
                f"%{name}_to_{source}",
                "c256",
                [
                    f"%b = tensor.extract %{name}_bits[%i] : tensor<256xi8>",
                    f"%f = arith.bitcast %b : i8 to {name}",
                    f"%got = arith.extf %f : {name} to {source}",
                    f"%want = tensor.extract %{name}_{source}[%i] : tensor<256x{source}>",
                    *compare("%want", "%got", source),
                ],
            )
            points = cases[name, source]
            n = len(points)
            encode = encoder(name)[0]
            print(
                f"  %{name}_in_{source} = arith.constant "
                f"{hexadecimal(pattern, points)} : tensor<{n}x{source}>"
            )
            print(
                f"  %{name}_out_{source} = arith.constant "
                f"{hexadecimal('B', [encode(x) for x in points])} : tensor<{n}xi8>"
            )
            loop(
                f"%{name}_from_{source}",
                f"c{n}",
                [
                    f"%v = tensor.extract %{name}_in_{source}[%i] : tensor<{n}x{source}>",
                    f"%got = arith.truncf %v : {source} to {name}",
                    f"%b = tensor.extract %{name}_out_{source}[%i] : tensor<{n}xi8>",
                    f"%want = arith.bitcast %b : i8 to {name}",
                    *compare("%want", "%got", name),
                ],
            )
            outcomes.append(f"%{name}_to_{source}")
    print("  return %s : %s\n}" % (", ".join(outcomes), ", ".join(["i32"] * len(outcomes))))


main()
