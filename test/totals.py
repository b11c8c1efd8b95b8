"""Prints how many tests passed and failed, from lit's xunit report.

Fails if a test failed, or if there is no test at all.
"""

import sys
import xml.etree.ElementTree as ElementTree


def main():
    try:
        suites = ElementTree.parse(sys.argv[1]).getroot().iter("testsuite")
    except (OSError, ElementTree.ParseError) as error:
        print(f"error: no test report: {error}", file=sys.stderr)
        return 1
    tests = failures = skipped = 0
    for suite in suites:
        tests += int(suite.get("tests", 0))
        failures += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        skipped += int(suite.get("skipped", 0))
    passed = tests - failures - skipped
    print(f"{passed} passed, {failures} failed, {skipped} skipped")
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
