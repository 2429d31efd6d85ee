"""Fields and functions of the classes in a C++ header, counted without a compiler."""

from __future__ import annotations

import re
from collections.abc import Iterator

HEAD = re.compile(r"\b(?:class|struct)\s+([\w:]+)(?:\s*:[^;{]*)?\s*\{")
NO_MEMBER = re.compile(
    r"(?:using|friend|static_assert|enum|(?:class|struct)\s+\w+$)|(?:static\s+|inline\s+)*constexpr\b[^(]*="
)
BRACKETS = re.compile(r"<[^<>()]*(?:<[^<>()]*(?:<[^<>()]*>)?[^<>()]*>)*[^<>()]*>")


def _bare(text: str) -> str:
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"^[ \t]*#[^\n]*", "", text, flags=re.MULTILINE)


def _end(text: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at
    return len(text)


def _declarations(body: str) -> Iterator[str]:
    """Of the members, each block in braces replaced by ``{}``."""
    said, at = "", 0
    while at < len(body):
        letter = body[at]
        if letter == "{":
            at = _end(body, at)
            is_type = re.search(r"\b(?:class|struct|enum)\b[^()]*$", said)
            has_body = "(" in said and re.search(r"\)[^()=]*$|\)\s*:[^=]*$", said)
            said += "{}"
            if has_body and not is_type:
                yield said
                said = ""
        elif letter == ";":
            yield said
            said = ""
        elif letter == ":" and re.fullmatch(r"\s*(?:public|private|protected)\s*", said):
            said = ""
        else:
            said += letter
        at += 1


def sizes(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, number of fields and number of functions of each class."""
    text = _bare(text)
    for head in HEAD.finditer(text):
        fields = functions = 0
        for one in _declarations(text[head.end() : _end(text, head.end() - 1)]):
            said = BRACKETS.sub("", re.sub(r"template\s*<[^{}]*?>\s*(?=\w)", "", one)).strip()
            if not said or NO_MEMBER.match(said):
                continue
            if re.match(r"(?:class|struct)\b", said):
                fields += bool(said.rsplit("{}", 1)[-1].strip())
            elif "(" in said.split("=")[0].split("{")[0]:
                functions += 1
            else:
                fields += 1 + said.split("=")[0].count(",")
        yield head[1], fields, functions
