"""What the benchmarks time with."""

import torch


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
