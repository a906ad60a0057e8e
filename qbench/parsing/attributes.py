"""What images are judged by: each attribute with the words for its low end, its high end and its amount.

Same notation as `qbench.parsing.vocabulary`. `low` and `high` are what something is ("blurry", "sharp"), `amount` is
what it has much or little of ("contrast"), `flaw` what puts it at its low end where it is there ("blur"), `sign` what
puts it at its high end ("grain" of noise), `remedy` what it needs where it is low, and `relief` where it is high. A
phrase may speak of several attributes.
"""

from __future__ import annotations

from collections.abc import Mapping

ATTRIBUTES: Mapping[str, Mapping[str, str]] = {
    "motion": {
        "low": "static, stationary, frozen, motionless, frozen in place",
        "high": "shaky, shaken, moving, streaked, motion blurred, smeared by movement",
        "sign": """motion blur, motion, movement, camera shake, streaks, streak, trails, motion trails, ghosting, slow
            shutter, motion smear, camera movement, moved, light trails""",
        "relief": "tripod, a tripod, faster shutter, faster shutter speed, stabilization, stabilisation",
    },
    "compression": {
        "high": "blocky, pixelated, pixellated, compressed, mosaic like",
        "sign": """compression, compression artifact/artifacts/artefacts/distortion, blocking, blockiness, block
            artifacts/effect/edges, squares, block pattern/patterns, jpeg
            artifact/artifacts/artefacts/blocks/blocking/ringing/compression, blocks, macroblocking, mosquito noise,
            pixelation, block boundaries""",
    },
    "banding": {
        "sign": "banding, posterization, posterisation, color/colour banding, bands",
        "high": "banded, posterized",
    },
    "yellow": {
        "high": "yellow, yellowish, amber, golden, sepia",
        "sign": "yellow cast/tint/stain/tinge/tone, yellowness, yellowing",
    },
    "blue": {"high": "blue, bluish, blueish, cyan", "sign": "blue cast/tint/stain/tinge/tone"},
    "green": {"high": "green, greenish", "sign": "green cast/tint/stain/tinge/tone"},
    "red": {"high": "red, reddish, pink, pinkish, magenta", "sign": "red/magenta cast/tint/stain/tinge/tone"},
    "purple": {"high": "purple, purplish, violet", "sign": "purple cast/tint/tinge/tone"},
    "noise": {
        "low": "clean, smooth, smooth surfaces, noise free, noiseless, grain free, spotless, pristine",
        "high": "noisy, grainy, speckled, speckly, mottled",
        "sign": """noise, noises, specks, coloured/colored specks, grain, graininess, grains, speckles, speckle,
            speckling, mottling, color/colour/chroma/luminance/image/sensor/digital/visible noise, film grain, noise
            level""",
        "relief": "denoising, noise reduction/removal/suppression/filter/filtering, denoise",
    },
    "warmth": {
        "low": "cold, cool, chilly, icy, bluish, frosty",
        "high": "warm, cozy, cosy, golden, orange, sunny",
        "middle": "neutral, neither warm nor cold",
        "amount": "warmth",
    },
    "level": {
        "low": "tilted, slanted, crooked, slopes, slanting, tilts, leans, askew, tilt",
        "high": "straight, horizontal, leveled, level horizon, horizon [is] level",
    },
    "composition": {
        "low": """cluttered, cut off, unbalanced, messy, chaotic, cramped, careless, disorganized, haphazard, awkward,
            lopsided, badly/poorly composed/framed, tilted, no/without [a] [clear] focal point, crowded, busy,
            distracting""",
        "high": """rule of thirds, balanced, well balanced, harmonious, well composed, well framed, elegant, masterful,
            organized, leading lines, uncluttered""",
        "amount": "composition, framing, balance, arrangement, structure, order",
        "flaw": "clutter, dead space",
        "remedy": "recropping, cropping, reframing, recomposing, crop",
    },
    "symmetry": {"low": "asymmetric, asymmetrical, lopsided", "high": "symmetric, symmetrical", "amount": "symmetry"},
    "saturation": {
        "low": """dull, faded, muted, washed out, pale, drab, desaturated, undersaturated, lifeless, colorless,
            colourless, bland, gray, grey, grays, greys, monotonous, subdued, bleached, greyish, grayish,
            monochrome, black and white, insipid, anaemic, lackluster, lacklustre""",
        "high": """pop, pops, popping, vivid, vibrant, colorful, colourful, saturated, rich, lively, punchy, intense,
            brilliant, highly saturated, richly colored/coloured""",
        "amount": """saturation, vividness, colorfulness, colourfulness, vibrancy, vibrance, color, colors, colour,
            colours, tones, palette, hues, reds, blues, greens, yellows, richness, color/colour saturation,
            color/colour intensity""",
        "remedy": "saturation boost, a saturation boost, color boost",
        "relief": "desaturation",
    },
    "naturalness": {
        "low": """unnatural, artificial, fake, oversaturated, over saturated, unrealistic, garish, synthetic,
            computer/ai generated, rendering, cgi, off, wrong, strange, odd, processed, overprocessed, exaggerated,
            neon, weird, tinted, greenish, bluish, yellowish, reddish, purplish, magenta""",
        "high": """natural, realistic, true to life, lifelike, believable, accurate, faithful, faithfully/accurately
            reproduced, neutral, authentic, true""",
        "amount": "naturalness, realism, fidelity, color/colour fidelity/accuracy/reproduction",
        "flaw": """yellow/blue/green/red/magenta/purple/orange cast/tint/stain/tinge, color/colour cast, tint, cast,
            color/colour shift, unnaturalness""",
        "remedy": "color/colour/white balance correction, white balancing, color grading",
    },
    "contrast": {
        "low": "flat, washed out, low contrast, milky, veiled, hazy",
        "high": "deep blacks, contrasty, contrasted, punchy, high contrast, dramatic, stands out",
        "amount": "contrast, tonal range, dynamic range, tonal separation, black or white point",
        "remedy": "dehazing, dehazing filter",
    },
    "exposure": {
        "low": """underexposed, under exposed, dark, too dark, dim, crushed, underlit, murky, blocked up, sunk into
            black, black, poorly lit, low key, on the dark side, pitch black, at night""",
        "high": """overexposed, over exposed, blown, blown out, burnt out, burned out, clipped, bright, too bright,
            washed out, glaring, bleached, high key, too light, pure white, blinding, overblown, on the bright side""",
        "middle": """well/properly/correctly/perfectly/nicely/evenly/normally/accurately exposed, neither too dark nor
            too bright, neither too bright nor too dark, well exposed, balanced, well balanced""",
        "amount": "exposure, light, lighting, brightness, illumination, stops of exposure",
        "flaw": "underexposure, darkness, crushed/blocked shadows/blacks",
        "sign": """overexposure, blown highlights, clipped highlights, clipping, glare, highlight clipping, blown
            whites/sky""",
        "remedy": "brightening, longer exposure, slower shutter, higher iso",
        "relief": "darkening, lower/shorter exposure, faster shutter, smaller aperture, lower iso",
    },
    "light": {
        "low": """dark, too dark, dim, too dim, underexposed, under exposed, underlit, poorly/badly/dimly lit, gloomy,
            murky, unlit, black, shadowy, at night, nighttime, night time, pitch black/dark, poorly/badly
            illuminated, low key, underlighted""",
        "high": """bright, too bright, well lit, brightly/nicely/well/evenly lit/illuminated, luminous, sunny,
            brilliant, lit brightly, overexposed, over exposed, glaring, high key, washed out, blown out, flooded
            with light/sunlight, bathed in light, full of light, in [bright/broad/full] daylight/sunlight""",
        "amount": """light, lighting, illumination, brightness, exposure, luminance, lamps, daylight, stops of exposure,
            fill light""",
        "middle": "neither too dark/bright nor too bright/dark, neither dark/bright nor bright/dark, [well] balanced",
        "flaw": "darkness, gloom, underexposure, shadow, blackness",
        "sign": "overexposure, glare",
        "remedy": "brightening, flash, a flash, longer exposure, relighting",
        "relief": "darkening",
    },
    "sharpness": {
        "low": """blurry, blurred, fuzzy, soft, unsharp, streaked, hazy, out of focus, unfocused, defocused, out of the
            focus, indistinct, smeared, smudged, smeary, unclear, indistinguishable, unrecognizable, illegible,
            mushy, unreadable, can not [be]
            read/recognized/recognised/counted/distinguished/identified/discerned/count/recognize,
            hard/difficult/impossible to read/recognize, misfocused, woolly, mush, a mess, a smear, a smudge, ill
            defined, unresolved, foggy, doubled, blend/blends/merge/merges/melt/melts/run/runs into/together, [a]
            blob/blobs, beyond recognition, can not be made out/told apart/seen/told/deciphered, focus [is/was]
            off/inaccurate/imprecise/wrong""",
        "high": """rendered crisply/sharply/clearly, sharp/crisp/clean edges, sharp, crisp, clear, in focus, focused,
            well/sharply/clearly/crisply defined/focused/resolved, tack/razor/pin/perfectly/needle sharp, crystal
            clear, legible, clean, well focused, crisply resolved, distinct, readable, in sharp focus, in perfect
            focus, in good focus, everything [is] in focus, perfectly focused, can be read, easy to read, easily
            read, discernible, distinguishable, recognizable, recognisable, countable, can be
            counted/recognized/recognised/distinguished/identified/discerned/resolved, can [you]
            [clearly/easily/still/even] read/count/recognize/recognise/identify/distinguish/discern, possible to
            read/recognize/recognise/identify/distinguish/make out, can make out, focus [is/was]
            accurate/precise/correct/perfect, focus [is/was] spot on, accurate/precise/correct/perfect/proper focus""",
        "middle": "acceptably/reasonably/moderately sharp/clear",
        "amount": """[edge/image/overall] sharpness, focus, [image/overall/visual] clarity, definition, resolution,
            crispness, edges, edge, detail, details, level/levels/degree/amount of detail/details/sharpness/clarity,
            focusing, acuity, fine detail/details,""",
        "flaw": """blur, blurriness, blurring, softness, haze, defocus, smear, smearing, fuzziness, missed focus, missed
            the focus/subject, failed to lock/find/get/hit focus, focus/autofocus missed, focus error,
            gaussian/motion/defocus blur, camera/hand shake""",
        "remedy": "sharpening, refocusing, deblurring, steadier hand, tripod, a tripod",
    },
    "detail": {
        "low": "smooth, smeared, mushy, featureless, coarse, plastic, waxy, flat, blurry, soft, smudged, lost",
        "high": "detailed, intricate, fine, well resolved, rich",
        "amount": """detail, details, level/levels/degree/amount of detail/details, texture, textures, fine
            detail/details, structure, strands, fine structure""",
        "flaw": "smoothing, loss of detail/texture, smear, blur, smudging, paste",
    },
    "fog": {"sign": "fog, haze, mist", "high": "foggy, hazy, misty", "relief": "dehazing"},
    "distortion": {
        "sign": """distortion, distortions, artifact, artifacts, artefacts, compression/jpeg/visible/digital
            artifact/artifacts/artefacts, halo, halos, haloes, ringing, fringing, moire, color/colour/purple
            fringing/fringes, chromatic aberration/aberrations""",
        "high": "distorted",
    },
    "oversharpening": {
        "sign": "halos, halo, ringing, oversharpening, sharpened too much/strongly, excessive/strong sharpening",
        "high": "oversharpened, over sharpened",
    },
    "source": {
        "low": """natural, natural light/lighting/illumination, daylight, sunlight, sun, sunshine, skylight, moonlight,
            sunset, sunrise, overcast sky, window light""",
        "high": """artificial, artificial light/lighting/illumination, lamp, lamps, bulb, bulbs, neon, neon sign/signs,
            fluorescent, fluorescent lamp/tube/light, led, leds, street light/lights/lamp/lamps, streetlights,
            flash, spotlight, spotlights, studio light/lights/lighting, tungsten, ceiling light/lights, candle,
            candles, lantern""",
    },
    "mood": {
        "low": """gloomy, sad, sadness, melancholy, melancholic, somber, sombre, depressing, bleak, dreary, lonely,
            loneliness, ominous, oppressive, mournful, sorrow, sorrowful, gloom, despair""",
        "high": """cheerful, happy, happiness, joyful, joy, upbeat, uplifting, lively, festive, playful, optimistic,
            merry, cheerfulness""",
    },
    "depth": {
        "low": """shallow, bokeh, shallow depth of field, blurred/blurry background, background blur, background is
            [more/very/strongly/heavily] blurred/blurry/soft/softer/blurrier, melts/dissolves/dissolving/melting
            into, creamy blur/background""",
        "high": """deep, large/wide/great/deep depth of field, everything [is] in focus, front to back, near and far,
            near to far, foreground to background, foreground and background""",
        "amount": "depth of field",
    },
    "evenness": {
        "low": "uneven, unevenly, patchy, unevenly lit, unequal, unequally",
        "high": """evenly, even light/lighting/illumination, uniform, uniformly, evenly lit/distributed/spread,
            homogeneous""",
        "amount": "evenness, uniformity",
    },
    "quality": {
        "low": """poor, bad, terrible, awful, horrible, inferior, unusable, abysmal, dreadful, atrocious, low quality,
            disastrous, worthless, appalling, substandard, lousy, disaster, mess, garbage, trash, junk""",
        "high": """good, great, excellent, outstanding, superb, impressive, perfect, flawless, exceptional, stunning,
            high quality, fantastic, magnificent, pleasing, top notch, exquisite""",
        "middle": """mediocre, average, middling, passable, so so, decent, fair, acceptable, ordinary, unremarkable,
            middle of the road, run of the mill, neither good nor bad, okay""",
        "amount": "quality, image/visual/overall/picture quality",
    },
}
"""Attributes and their words by part."""

LEVELS: Mapping[str, str] = {
    "top": """very high, excellent, perfect, very good, superb, outstanding, very rich, very strong, great, very severe,
        flawless, exceptional, stunning, magnificent, exquisite, overwhelming, massive, extreme, extensive,
        considerable, pronounced, rampant, obtrusive, huge, tremendous, so much,
        off the chart/charts/scale""",
    "high": """high, strong, rich, good, sufficient, adequate, ample, plentiful, plenty, abundant, severe, heavy,
        intense, proper, enough, spot on, just right, ideal, leaves nothing to be desired, can not/could not/hardly
        be better, could hardly be better, much, many, lots, a lot [of], lots of, abundance/wealth/variety/range of,
        wide variety/range/array of, abundance, serious, satisfactory, substantial, strongly, right, fine, nice,
        generous, appropriate""",
    "middle": """in the middle, in between, medium, moderate, average, normal, regular, fair, acceptable, middling,
        ordinary, mediocre, okay, just fine, so so, passable, fair/moderate/decent/certain amount of""",
    "slight": "slight, few, small/slight amount of, limited, mild, slightly, light, a little, some, minor, faint",
    "low": """low, weak, poor, insufficient, inadequate, little, limited, bad, scarce, thin, deficient, too little, not
        enough, lacking, missing, absent, lost, falls short, leaves [a] lot/much/something to be desired, poorly,
        too low/weak/little/poor/thin, wanting, gone, meager, meagre, compromised, unsatisfactory, off, scant""",
    "none": """hardly any, hardly/barely/scarcely noticeable/visible/perceptible, negligible, imperceptible, invisible,
        nonexistent, nil, zero, very low, very poor""",
    "excess": """too high/strong/severe, too much, too many, excessive, overly, far too much, excess, too far, overdone,
        exaggerated, over the top, cranked up, turned up too high/much""",
}
"""Words of amounts, whatever they are of."""

INTENSE = """lot of, lots of, very, extremely, severely, heavily, badly, seriously, terribly, really, strongly, highly,
    incredibly, utterly, totally, completely, hopelessly, thoroughly, awfully, severe, heavy, strong, extreme,
    massive, considerable, pervasive, everywhere, all over, pronounced, urgently, desperately, thick, intense, so
    much, sorely, dreadfully, full of"""
MILD = """slightly, a bit, a little [bit], somewhat, mildly, a touch, a tad, faint, faintly, minor, some, slight,
    subtle, mild, moderately, fairly, a trace of, traces of, partly, partially, reasonably, a hint of, almost,
    nearly, slight/small amount of"""
"""Words that tell how much."""

COMPARATIVES: Mapping[str, tuple[str, str]] = {
    "sharpness": (
        "sharper, sharpest, clearer, clearest, crisper, crispest",
        "softer, softest, blurrier, blurriest, fuzzier, fuzziest, hazier, haziest",
    ),
    "detail": ("finer, finest, richer, richest", "smoother, smoothest, coarser, coarsest"),
    "depth": ("deeper, deepest", "shallower, shallowest"),
    "noise": (
        "noisier, noisiest, grainier, grainiest",
        "cleaner, cleanest, smoother, smoothest, handles noise better, better noise control/handling/performance",
    ),
    "light": ("brighter, brightest, lighter, lightest", "darker, darkest, dimmer, dimmest"),
    "exposure": ("brighter, brightest, lighter, lightest", "darker, darkest, dimmer, dimmest"),
    "contrast": (
        "stronger, strongest, punchier, punchiest, deeper, deepest, deeper blacks, darker shadows, brighter highlights",
        "flatter, flattest, weaker, weakest",
    ),
    "saturation": (
        "richer, richest, livelier, liveliest, stronger, strongest, punchier, punchiest",
        "duller, dullest, paler, palest",
    ),
    "warmth": ("warmer, warmest", "cooler, coolest, colder, coldest"),
    "yellow": ("warmer, warmest, yellower, yellowest", "cooler, coolest"),
    "blue": ("cooler, coolest, bluer, bluest", "warmer, warmest"),
}
"""Of each attribute what is further up and further down; such words say something only where they are missed."""

NEEDS = """need, needs, needed, needing, require, requires, required, requiring, could/can use, could/can do with,
    benefit, benefits, profit, call/calls/called/calling for, cry/cries/crying out [for], beg/begs/begging for,
    deserve, deserves, in need/want of, short of, should be/have, should/could have been/had, ought to be/have,
    ask/asks/asking for, demand, demands, would take, it takes, room for, helped by, improved by, wish/wishes for,
    would help, missing, lacking"""
"""What is said of a remedy, or of an amount that is too small."""
HINTS = "could be/have"
"""A need where it is much that is missed: "could be a lot brighter"."""
ENDED = """removed, controlled, suppressed, absent, free, gone, under control, avoided, eliminated, missing, reduced,
    wiped/cleaned/filtered out, wiped away, got/gets rid of, freeze, freezes, froze, freezing, avoids, avoiding,
    stops, suppresses, prevents"""
"""What is said of a flaw that is not there."""
MENDED = "reducing, reduced, removing, removed, fixing, reduction, removal, fixed, corrected, correcting, recovering"
WHOLE = """everything, whole, entire, overall, frame, scene, view, capture, snapshot, all, most, lot, whole thing, rest,
    nothing, much, here, there, result, content, anything, portrait, landscape, photograph, every, exposure, part,
    parts, camera, lens, sensor, photographer, room, setting, whatsoever, anywhere, somewhere, left, whatever,
    present, visible, either, worth, speaking, mentioning, noting, appearance, look, feel, atmosphere, impression,
    mood, surface, surfaces, texture, details, horizon"""
"""What stands for all of an image, beside its names."""

BAD_AT: Mapping[str, int] = {
    **dict.fromkeys(["sharpness", "detail", "contrast", "saturation", "light", "naturalness", "quality"], -1),
}
"""The end of an attribute at which an image is worse; of others the high one."""


def is_fault(attribute: str, end: int) -> bool:
    """Whether this end of an attribute is a fault, as noise or blur is."""
    return end == BAD_AT.get(attribute, 1)
