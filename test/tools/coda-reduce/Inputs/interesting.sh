#!/bin/sh
# Ends with 1 where the error is still there, which is what coda-reduce asks.
coda-opt "$1" --coda-fusion --coda-to-ptx 2>&1 | grep -q 'not bufferized' && exit 1
exit 0
