"""German, French, Spanish, Italian, Portuguese and Russian replies in English words, for a grammar that reads English.

As in `east_asian`, only phrases in which such answers are given are translated; what is left is unknown to the grammar
and says nothing. A text is taken for one of these languages by two of its commonest words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from qbench.parsing.phrases import set_of

_COMMON = set_of(
    """das der den dem ist sind hat ein eine nicht und ich bild bilder ja nein le les une est sont je dans pas plus
    l'image oui el los las un una es son tiene la que en está imagen sí más mejor il lo gli è sono ha di non più
    immagine sì um uma é são tem não mais imagem sim и не это второе первое изображения изображение лучше чем да нет"""
)
_ENGLISH_WORDS = set_of("the is are of this that it to has have with and was in i for but be not")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")

_WORDS: Mapping[str, str] = {
    "yes": "ja|oui|sí|sì|sim|да",
    "no": "nein|não|нет",
    "the answer is": """die antwort ist|die antwort lautet|la réponse est|la respuesta es|la risposta è|a resposta é|
        ответ""",
    "answer": "antwort|réponse|respuesta|risposta|resposta",
    "correct": "richtig|richtige|korrekt|correcta|correcto|corretta|corretto|correta|correto|правильный",
    "I choose": """me quedo con|me inclino por|je retiens|j'opte pour|mi quedo com|fico com|ich nehme|ich wähle|
        ich bevorzuge|ich würde wählen|ich würde mich für|ich entscheide mich für|je choisis|je préfère|elijo|prefiero|
        escojo|scelgo|preferisco|escolho|prefiro|eu escolho|eu prefiro|я выбираю|я предпочитаю""",
    "is better": "gefällt mir besser|me gusta más|me parece mejor|me plaît plus|mi piace di più",
    "I would": "würde ich",
    "choose": "bevorzugen|vorziehen|wählen|nehmen|behalten",
    "the one which": "la que|el que|celle qui|celui qui|quella che",
    "I think": """ich denke|ich finde|ich glaube|je pense|je trouve|creo que|pienso que|penso che|credo che|acho que|
        я думаю|думаю""",
    "overall": """insgesamt|im ganzen|daher|deshalb|also|globalement|dans l'ensemble|donc|en general|en conjunto|
        por lo tanto|por tanto|por eso|por lo que|así que|nel complesso|quindi|dunque|no geral|portanto|в целом|
        поэтому|итак""",
    "the first image": """das erste bild|dem ersten bild|ersten bild|erste bild|bild 1|die erste|das erste|im ersten|
        beim ersten|la première image|première image|l'image 1|la première|la primera imagen|primera imagen|
        la imagen 1|imagen 1|la primera|la prima immagine|prima immagine|l'immagine 1|immagine 1|la prima|
        a primeira imagem|primeira imagem|a imagem 1|imagem 1|a primeira|первое изображение|изображение 1|первое|
        первая|le premier|el primero|el primer fotograma""",
    "the second image": """das zweite bild|dem zweiten bild|zweiten bild|zweite bild|bild 2|die zweite|das zweite|
        im zweiten|beim zweiten|la deuxième image|la seconde image|deuxième image|l'image 2|la deuxième|la seconde|
        la segunda imagen|segunda imagen|la imagen 2|imagen 2|la segunda|la seconda immagine|seconda immagine|
        l'immagine 2|immagine 2|la seconda|a segunda imagem|segunda imagem|a imagem 2|imagem 2|a segunda|
        второе изображение|изображение 2|второе|вторая|le second|el segundo|el segundo fotograma""",
    "to the second image": "au second|à la seconde|à la deuxième",
    "than the first image": "первого изображения|первого|первой",
    "than the second image": "второго изображения|второго|второй",
    "the left image": """das linke bild|linke bild|das bild links|l'image de gauche|la imagen de la izquierda|
        la imagen izquierda|l'immagine a sinistra|l'immagine di sinistra|a imagem da esquerda|левое изображение""",
    "the right image": """das rechte bild|rechte bild|das bild rechts|l'image de droite|la imagen de la derecha|
        la imagen derecha|l'immagine a destra|l'immagine di destra|a imagem da direita|правое изображение""",
    "both images": """beide bilder|die beiden bilder|beide|les deux images|les deux|ambas imágenes|las dos imágenes|
        ambas|entrambe le immagini|le due immagini|entrambe|ambas as imagens|as duas imagens|оба изображения|оба""",
    "the image": """das bild|dieses bild|l'image|cette image|la imagen|esta imagen|l'immagine|a imagem|esta imagem|
        изображение""",
    "equally good": """gleichwertig|ebenbürtig|gleich gut|ebenso gut|de qualité équivalente|équivalentes|aussi bonnes|
        igual de buenas|igualmente buenas|ugualmente buone|igualmente boas|одинаково хороши|одинаково хорошие""",
    "are the same": "se valent|se equivalen|si equivalgono|sind gleichauf",
    "my preference is": "mi preferida es|ma préférée est|mein favorit ist|la mia preferita è|a minha preferida é",
    "the same": """gleich|gleiche|identisch|identiques|la même|le même|iguales|la misma|el mismo|uguali|la stessa|
        iguais|a mesma|одинаковы|одинаковое|одинаковые""",
    "no difference": """kein unterschied|keinen unterschied|aucune différence|pas de différence|ninguna diferencia|
        no hay diferencia|nessuna differenza|nenhuma diferença|нет разницы""",
    "neither": "weder|ni l'une ni l'autre|ninguna de las dos|nessuna delle due|nenhuma das duas|ни одно",
    "visual quality": """bildqualität|qualität|visuelle qualität|qualité visuelle|qualité d'image|qualité|
        calidad visual|calidad de imagen|calidad|qualità visiva|qualità dell'immagine|qualità|qualidade visual|
        qualidade de imagem|qualidade|качество изображения|качество""",
    "better": """bessere|besseren|besser|besseres|bestes|beste|meilleure|meilleur|mieux|mejor|migliore|meglio|melhor|
        лучше|лучшее|лучшего""",
    "noisy": "bruitée|ruidosa|verrauscht|rumorosa|ruidoso|шумное|зашумлено",
    "shaky": "movida|bougée|verwackelt|mossa|tremida|смазано",
    "darker": "dunkler|plus sombre|más oscura|più scura|mais escura|темнее",
    "superior": "überlegen|supérieure|supérieur|superiore",
    "worse": "schlechter|schlechtere|pire|moins bonne|moins bon|peor|peggiore|pior|хуже",
    "sharper": """schärfer|schärfere|klarer|plus nette|plus net|plus claire|más nítida|más clara|más nítido|più nitida|
        più chiara|mais nítida|mais clara|чётче|четче|резче""",
    "brighter": "heller|plus lumineuse|más brillante|più luminosa|mais brilhante|ярче",
    "more": "mehr|plus|plus de|más|più|mais|больше|более",
    "less": "weniger|moins|moins de|menos|meno|меньше|менее",
    "than": "als|que|che|do que|чем",
    "colorful": "farbenfroher|bunter|colorée|colorida|colorata",
    "blurrier": "unschärfer|unschärfere|plus floue|más borrosa|più sfocata|mais desfocada|размытее",
    "lighting": "beleuchtung|éclairage|iluminación|luz|illuminazione|luce|iluminação|освещение|licht|lumière",
    "even": "gleichmäßig|gleichmäßiger|uniforme|homogène|равномерное",
    "blurry": """unscharf|verschwommen|floue|flou|borrosa|borroso|desenfocada|sfocata|sfocato|sfuocata|desfocada|
        embaçada|размыто|размытое|нечёткое""",
    "underexposed": "unterbelichtet|sous-exposée|subexpuesta|sottoesposta|subexposta",
    "overexposed": "überbelichtet|surexposée|sobreexpuesta|sovraesposta|superexposta",
    "in focus": "im fokus|enfocado|enfocada|a fuoco|em foco",
    "well lit": "gut belichtet|bien iluminada|bien éclairée|ben illuminata|bem iluminada",
    "much": "viel|mucho|beaucoup de|molto|muito",
    "looks": "se ve|wirkt|paraît|sembra|parece",
    ", while": "während|tandis que|mientras que|mentre|enquanto|en cambio|dagegen|hingegen|en revanche",
    "can be seen": "zu sehen|zu erkennen|se aprecia|se aprecian|on voit",
    "sharp": "scharf|nette|net|nítida|nítido|nitida|nitido|чёткое|резкое",
    "noise": "rauschen|bildrauschen|bruit|ruido|rumore|ruído|шум",
    "visible": "sichtbar|sichtbares|visible|visibles|visibile|visível|видимый|видно",
    "color": "farben|farbe|couleurs|colores|colori|cores|цвета",
    "detail": "details|détails|detalles|dettagli|detalhes|детали|деталей",
    "natural": "natürlich|natürlicher|naturelles|naturales|naturali|naturais|естественные",
    "good": "gut|gute|bonne|bon|buena|bueno|buona|buono|boa|bom|хорошее|хорошо",
    "bad": "schlecht|mauvaise|mauvais|mala|malo|cattiva|ruim|плохое",
    "dark": "dunkel|sombre|oscura|oscuro|scura|scuro|escura|escuro|тёмное",
    "is": "ist|sind|est|n'est|sont|es|está|son|están|è|sono|é|são|выглядит",
    "has": "hat|haben|a une|a un|a la|n'a|présente|tiene|tienen|ha|ha una|tem|имеет",
    "not": """nicht|kein|keine|keinen|pas|non|не|sin|sans|senza|sem|ohne|il n'y a pas de|no hay|non c'è|não há|no es|
        no está""",
    "": "ne|entscheiden",
    "there is": "es gibt|il y a|hay|c'è|há|есть",
    "although": "obwohl|obgleich|bien que|quoique|même si|aunque|sebbene|anche se|embora|хотя",
    ", but": "aber|jedoch|mais|cependant|pero|sin embargo|però|ma|mas|porém|но|однако",
    ", because": "weil|da|denn|parce que|car|porque|ya que|perché|poiché|потому что|так как",
    "and": "und|et|y|e|и",
    "or": "oder|ou|o|или",
    "if": "wenn|falls|si|se|если",
    "would": "würde|wäre|serait|sería|sarebbe|seria|бы",
    "with": "mit|avec|con|com|с",
    "in": "im|in|dans|en|nel|в",
    "the": "das|die|der|den|dem|le|la|les|el|los|las|il|lo|gli|os|as",
    "a": "ein|eine|einen|un|une|una|um|uma",
    "clearly": """deutlich|etwas|nettement|clairement|un peu|beaucoup|claramente|un poco|chiaramente|намного|немного|
        заметно|значительно|гораздо|qualitativ|sehr|très|muy|bien plus""",
}
_ENGLISH = {
    " ".join(phrase.replace("l'", "la ").split()): english
    for english, phrases in _WORDS.items()
    for phrase in phrases.split("|")
}
_LONGEST_FIRST = sorted(map(re.escape, _ENGLISH), key=len, reverse=True)
_PHRASE = re.compile(
    rf"(?<![^\W_])(?:(?i:{'|'.join(phrase for phrase in _LONGEST_FIRST if len(phrase) > 1)})"
    rf"|{'|'.join(phrase for phrase in _LONGEST_FIRST if len(phrase) == 1)})(?![^\W_])"
)
"""Words of one letter only where they are small: a capital is an option's."""
_ANSWERS_NO = re.compile(r"(?i)\A(?:non|não)(?=\s?(?:[,.!]|\Z))")
_INVERTED = re.compile(r", (has|is) (the \w+ image)")
"""German puts the verb first after a subordinate clause."""
_VERB_LAST = re.compile(r"\bI would (?:\w+ )?(the \w+ image) choose\b")


def from_european(text: str) -> str:
    """The text with the phrases of its language in English; English stays as it is."""
    words = [word.casefold() for word in _WORD.findall(text)]
    foreign, english = (sum(word in common for word in words) for common in (_COMMON, _ENGLISH_WORDS))
    if foreign <= english:
        return text
    translated = _PHRASE.sub(lambda phrase: _ENGLISH[phrase[0].casefold()], _ANSWERS_NO.sub("no", text))
    return _INVERTED.sub(r", \2 \1", _VERB_LAST.sub(r"I would choose \1", translated))
