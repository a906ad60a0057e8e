"""Names that people would take for that of another model: `GPΤ-4V` with a Greek tau, `FooNet` beside `Foo Net`.

Such names are not refused, for two models may well have them, but nothing goes on a board under one before its owner
has looked.
"""

from __future__ import annotations

import unicodedata

from leaderboard.tables.models import FindModel, ModelsRecords
from qbench.models.catalogue import load

_LOOK_LIKE = {
    # letters of other scripts, after confusables.txt of Unicode's Technical Standard 39
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανοριτυκχγηω": "ABEZHIKMNOPTYXavopituKxynw",
    "АВЕЅЗІЈКМНОРСТУХаеѕіјорсухһԁԛԝӏкмтвн": "ABES3IJKMHOPCTYXaesijopcyxhdqwlkmtbh",
    "ՕՍՏԼօսհոցզյ": "OUSLouhngqj",
    "ᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃ": "ABCDEGHIJKLMPRSTVWZ",
    "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ": "BPDTGKJCZFMNLSRVHWXYAEIOU",
    "ɑɡıɩǀᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ": "agiilabcdeghijklmnoprstuvwyz",
}
_LATIN = str.maketrans({letter: plain for ours in _LOOK_LIKE.items() for letter, plain in zip(*ours, strict=True)})
_ALIKE = str.maketrans("01i", "oll")
"""Signs of one alphabet that are hard to tell apart, in small letters."""


def appearance(name: str) -> str:
    """The same text for names that look the same, whatever their letters, accents, case, blanks and points."""
    plain = unicodedata.normalize("NFKD", name.translate(_LATIN)).translate(_LATIN)
    signs = (sign for sign in plain.casefold() if sign.isalnum() or sign == "+")
    return "".join(signs).translate(_ALIKE)


def find_look_alike(name: str, models: ModelsRecords, find_model: FindModel) -> str | None:
    """The name of another model that this one would be taken for; None where there is none.

    Args:
        name: As the author calls the model.
        models: Those on the boards.
        find_model: Which names mean one model.
    """

    def meant(text: str) -> str:
        facts = find_model(text)
        return facts.id if facts else text

    own, seen = meant(name), appearance(name)
    known = [
        called
        for model in models.values()
        for called in (model.model.name, *sorted({record.result.model for record in model.records}))
    ]
    known += [called for facts in load() for called in (facts.name, facts.id, *facts.aliases)]
    return next((other for other in known if appearance(other) == seen and meant(other) != own), None)
