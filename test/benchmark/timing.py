"""What the benchmarks make inputs, time and compare with."""

import random
import statistics

import torch


def normal(*shape, scale=1.0):
    """Random bf16 numbers on the GPU, `scale` times a normal distribution."""
    return (torch.randn(shape, device="cuda") * scale).bfloat16()


def time_calls(function, calls, warmups):
    """Milliseconds a call of `function` takes on the GPU, the mean of `calls`
    in a row, after `warmups` that are not counted."""
    for _ in range(warmups):
        function()
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(calls):
        function()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / calls


def print_times(runs, rounds=11, calls=3):
    """Times the functions of `runs`, by name, in random order, and prints the
    medians, and what share of that of "ours" they are."""
    times = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _ in range(rounds):
        for name in random.sample(list(runs), len(runs)):
            times[name].append(time_calls(runs[name], calls, warmups=1))
    median = {name: statistics.median(t) for name, t in times.items()}
    for name, time in median.items():
        print(f"{name}: {time:.3f} ms ({time / median['ours']:.3f} of ours)")


def print_errors(names, ours, eager, exact):
    """Prints how far results are from `exact` beside those of `eager`, which is
    in bf16; they may be twice as far."""
    for name, out, low, ref in zip(names, ours, eager, exact, strict=True):
        ref = ref.reshape(out.shape)
        errors = [(y.reshape(out.shape).float() - ref).abs() for y in (out, low)]
        largest = [float(e.max()) for e in errors]
        mean = [float(e.mean()) for e in errors]
        right = largest[0] < 2 * largest[1] + 1e-6
        print(f"{name}: largest error {largest[0]:.4f}, unfused {largest[1]:.4f};"
              f" mean {mean[0]:.5f}, unfused {mean[1]:.5f}"
              f"{'' if right else '  WRONG'}", flush=True)
        assert right
