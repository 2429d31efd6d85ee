"""Check a built site: internal links and anchors, short types, words that the search must find.

``python tests/notebooks/check_site.py out/site`` prints what is wrong and fails if anything is.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

WORDS = ("Stribeck", "backlash", "limit cycle")


class Page(HTMLParser):
    """The links, pictures and anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors = {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag leads to and what it is called."""
        given = dict(attrs)
        self.links += [value for key in ("href", "src") if (value := given.get(key))]
        self.anchors |= {value for key in ("id", "name") if (value := given.get(key))}


def dead_links(site: Path) -> list[str]:
    """Internal links, pictures and anchors that lead nowhere."""
    paths = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: Page(path) for path in paths}
    found = []
    for path, page in pages.items():
        # Listings name one module for all of their objects, but each of these has a page that needs no anchor.
        is_listing = "_modules" in path.parts
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
            where = f"{path.relative_to(site)}: {link}"
            if not target.exists():
                found.append(where)
            elif target in pages and not is_listing:
                if unquote(parts.fragment) not in pages[target].anchors:
                    found.append(where)
    return found


def long_types(site: Path) -> list[str]:
    """Pages of the reference whose signatures spell out what NumPy's aliases stand for."""
    pages = sorted((site / "reference").glob("*.html"))
    return [path.name for path in pages if "_SupportsArray" in path.read_text(encoding="utf-8")]


def without_pictures(site: Path) -> list[str]:
    """List how-to guides without a picture from their code cells."""
    pages = sorted((site / "howto").glob("*.html"))
    texts = {path.name: path.read_text(encoding="utf-8") for path in pages}
    return [name for name, text in texts.items() if "cell_input" in text and "_images/" not in text]


def words_not_found(site: Path) -> list[str]:
    """Words of which the index of the search does not hold every part."""
    index = (site / "searchindex.js").read_text(encoding="utf-8").lower()
    parts = {word: [part.lower().rstrip("e") for part in word.split()] for word in WORDS}
    return [
        word for word, stems in parts.items() if not all(re.search(rf'\b{s}\w*"?:', index) for s in stems)
    ]


def main() -> int:
    """Print everything that is wrong; 1 if there is anything."""
    site = Path(sys.argv[1]).resolve()
    wrong = [f"dead link in {link}" for link in dead_links(site)]
    wrong += [f"long type in reference/{name}" for name in long_types(site)]
    wrong += [f"no picture in howto/{name}" for name in without_pictures(site)]
    wrong += [f"the search does not find {word!r}" for word in words_not_found(site)]
    print("\n".join(wrong) or f"{len(list(site.rglob('*.html')))} pages: links, types and search are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
