"""GraphML that is well-formed and says odd things."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from tests.fuzz.prototypes import QUICK

_VALUES = (
    "",
    " ",
    "n00",
    "n99",
    "nan",
    "1e999",
    "9" * 30,
    "true",
    "string",
    "double",
    "long",
    "directed",
    "\u202e",
    "d9",
)
_PARTS = (
    '<node id="n00"/>', '<edge source="n00" target="ghost"/>', '<edge source="n01"/>', "<node/>", "<data>7</data>",
    '<node id="deep"><graph edgedefault="directed"><node id="in"/></graph></node>', '<graph edgedefault="directed"/>',
    '<key id="d9" for="node" attr.name="a" attr.type="int"/>', '<hyperedge/>', "<!-- a comment -->", "<?odd?>",
    '<node id="m"><data key="none">1</data></node>', '<node id="m"><data key="d0">word</data></node>',
)  # fmt: skip


def graphml(rng: Random, place: Path, originals: Path) -> list[str]:
    """Values of attributes exchanged, elements lost, repeated or added, another encoding, a DOCTYPE."""
    lines = (originals / "g.graphml").read_text().splitlines()
    for _ in range(rng.choice((1, 1, 2, 4))):
        row = rng.randrange(1, len(lines))
        match rng.randrange(5):
            case 0:
                parts = list(re.finditer(r'"([^"]*)"', lines[row]))
                if parts:
                    found = rng.choice(parts)
                    lines[row] = (
                        f"{lines[row][: found.start(1)]}{rng.choice(_VALUES)}{lines[row][found.end(1) :]}"
                    )
            case 1:
                lines[row] = re.sub(r">[^<]*<", f">{rng.choice(_VALUES)}<", lines[row])
            case 2:
                lines.insert(row, rng.choice(_PARTS))
            case 3:
                lines.insert(row, lines[row])
            case _:
                if rng.random() < 0.5:
                    lines[row] = re.sub(r' [\w.]+="[^"]*"', "", lines[row], count=1)
                else:
                    lines.insert(1, '<!DOCTYPE g [<!ENTITY a "aa">]>')
    text = "\n".join(lines)
    encoding = rng.choice(("utf-8", "utf-8", "utf-8", "utf-16", "utf-32", "latin-1"))
    if encoding != "utf-8" and rng.random() < 0.7:
        text = re.sub("encoding='[^']*'", f"encoding='{encoding}'", text, count=1)
    (place / "g.graphml").write_bytes(text.encode(encoding, errors="replace"))
    return ["train", "g.graphml", "--model", "mlp-1", *QUICK, "-o", "kept"]
