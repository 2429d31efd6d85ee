"""C text: conditions resolved, functions that are not called left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

_FUNCTION = re.compile(r"^static [^;={]*?\b(\w+)\([^;{]*\) \{$", re.MULTILINE)
_CALL = re.compile(r"\b([A-Za-z_]\w*)\(")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def source(name: str) -> str:
    """Return one of the files that every exported machine is written from."""
    return (Path(__file__).with_name("c99_source") / name).read_text(encoding="utf-8")


def resolve(text: str, numbers: Mapping[str, int]) -> str:
    r"""Return the text with its conditions on these numbers resolved, as a preprocessor does.

    >>> resolve("#if (NP > 0) && !NC\na\n#elif NC\nb\n#else\nc\n#endif\nd", {"NP": 0, "NC": 1})
    'b\nd'
    """
    lines: list[str] = []
    levels: list[
        tuple[bool, bool]
    ] = []  # of each open condition: its lines count, one of its branches has counted
    for line in text.split("\n"):
        word, _, condition = line.partition(" ")
        if word == "#if":
            holds = _holds(condition, numbers)
            levels.append((holds, holds))
        elif word == "#elif":
            _, before = levels.pop()
            holds = not before and _holds(condition, numbers)
            levels.append((holds, before or holds))
        elif word == "#else":
            _, before = levels.pop()
            levels.append((not before, True))
        elif word == "#endif":
            levels.pop()
        elif all(counts for counts, _ in levels):
            lines.append(line)
    return "\n".join(lines)


def _holds(condition: str, numbers: Mapping[str, int]) -> bool:
    python = condition.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    return bool(eval(python, {"__builtins__": {}}, dict(numbers)))


def called_only(text: str) -> str:
    """Return the text without static functions that nothing calls, nor headings of empty sections."""
    parts = list(_parts(text))
    names = {name: body for name, body in parts if name}
    wanted = _CALL.findall(_COMMENT.sub("", "".join(body for name, body in parts if not name)))
    reached: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name in names and name not in reached:
            reached.add(name)
            wanted += _CALL.findall(_COMMENT.sub("", names[name]))
    kept = "".join(body for name, body in parts if not name or name in reached)
    kept = re.sub(r"\n{3,}", "\n\n", kept)
    heading = r"/\* --- [^\n]* -+ \*/\n"
    while (fewer := re.sub(rf"{heading}\n*(?={heading}|\Z)", "", kept)) != kept:
        kept = fewer
    return kept


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Static functions with their comments, by name, and the text between them, without a name."""
    at = 0
    for found in _FUNCTION.finditer(text):
        begin = found.start()
        comment = text.rfind("/*", at, begin)
        if comment >= 0 and re.fullmatch(r"/\*(?:(?!\*/).)*\*/\n", text[comment:begin], re.DOTALL):
            if not text.startswith("/* ---", comment):
                begin = comment
        end = text.index("\n}\n", found.end()) + 3
        yield "", text[at:begin]
        yield found.group(1), text[begin:end]
        at = end
    yield "", text[at:]
