"""What compute-sanitizer says at its end."""
import re

from checks import expect

SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+) (?:error|hazard)")


def verdict(text):
    """Its last summary. Fails unless there is one and each counts nothing."""
    found = [(int(match[1]), line) for line in text.splitlines() if (match := SUMMARY.search(line))]
    expect(found and all(count == 0 for count, _ in found), text[-2500:])
    return found[-1][1].strip("= ")
