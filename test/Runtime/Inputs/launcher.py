import sys

from coda import runtime


class Array:
    """What a GPU array library would give; `data_ptr` makes it a bf16 tensor."""

    def __init__(self, typestr, shape, address, strides=None):
        self.__cuda_array_interface__ = {
            "typestr": typestr, "shape": shape, "data": (address, False),
            "strides": strides, "version": 3,
        }  # fmt: skip


class Device:
    type = "cuda"
    index = 0


class Tensor:
    device = Device()

    def __init__(self, shape, stride, address):
        self.shape, self._stride, self._address = shape, stride, address
        self.dtype = "torch.bfloat16"

    def stride(self):
        return self._stride

    def data_ptr(self):
        return self._address


module = runtime.load(sys.argv[1], sys.argv[2])
linear, identity = module["linear"], module["identity"]
print(linear)
print(identity)

array = Array("<f4", (5,), 0x2000, (8,))
if identity(array) is array:
    print("same array")


def attempt(what, call):
    try:
        call()
        print(what, "was accepted")
    except (runtime.Error, KeyError) as error:
        print(f"{what}: {error.args[0]}")


attempt("wrong type", lambda: identity(Array("<i4", (5,), 0x2000)))
attempt("too few", lambda: identity())
attempt("no array", lambda: identity("x"))
attempt("unknown", lambda: module["other"])

x, w = Tensor((300, 64), (64, 1), 0x1000), Tensor((32, 64), (64, 1), 0x8000)
attempt(
    "out shape",
    lambda: linear(x, w, 1.5, 3, 1.0, out=Tensor((300, 31), (31, 1), 0x3000)),
)
out = Tensor((300, 32), (32, 1), 0x3000)


class Fake:
    """As much of torch as a call uses."""

    uint8 = None

    class cuda:
        @staticmethod
        def current_stream(device):
            class Stream:
                cuda_stream = 5

            return Stream

    @staticmethod
    def empty(size, dtype, device):
        return Tensor((size,), (1,), 0x700000)


sys.modules["torch"] = Fake
sys.modules["torch.cuda"] = Fake.cuda
assert linear(x, w, 1.5, 3, 1.0, out=[out]) is out
print("done")
sys.stdout.flush()
