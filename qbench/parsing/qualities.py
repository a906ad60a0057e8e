"""Words of quality, by class: what is better, what is good, what is a defect, and what is alike.

Same notation as `qbench.parsing.vocabulary`. Comparatives that are good of whatever they are said of ("sharper") are
apart from those whose noun decides ("higher": higher resolution is good, higher noise is not).
"""

from __future__ import annotations

from collections.abc import Mapping

QUALITIES: Mapping[str, str] = {
    "BETTER": """better, best, better all rounder, superior, preferable, preferred, better/best looking, favored,
        favoured, chosen,
        recommended, nicer, nicest, mejor, besser, meilleure, meilleur, migliore, melhor, highest ranked, top rated,
        to be preferred/chosen, ahead, lesser evil/problem, lesser of [the] two evils, bessere, bester, лучше,
        melhores""",
    "SHARPER": """sharper, sharpest, clearer, clearest, crisper, crispest, cleaner, cleanest, brighter, brightest,
        smoother, smoothest, richer, richest, prettier, livelier, bolder, closer, closest, easier to see, fresher,
        schärfer, klarer, más nítida, plus nette""",
    "HIGHER": """heavier, heaviest, higher, highest, greater, greatest, stronger, strongest, improved, enhanced,
        increased, finer, finest, fuller, wider, broader, deeper, truer""",
    "MORE": """to a greater extent/degree, twice as many/much, double/twice the [amount/number of], more, most,
        additional, extra""",
    "LESS": """to a lesser extent/degree, less, least, fewer, fewest, reduced, minimal,
        half as many/much, lower, lowest, weaker,
        milder,
        decreased, smaller""",
    "QUALITY": """quality, [overall/general] [visual/image/picture/photo/perceptual/perceived/technical/photographic]
        quality, visual/overall appeal, aesthetic quality, aesthetics, visual appearance, overall appearance, visual
        fidelity, image fidelity, overall impression, qualité, qualität, calidad, qualità, qualidade""",
    "ATTRIBUTE": "[edge/image/overall] sharpness, contrast, brightness, colorfulness, colourfulness, saturation",
    "ASPECT": """[image/overall/visual] clarity, detail, details, color, colors, colour, colours, exposure, lighting,
        illumination, light, focus, resolution, definition, texture, textures, composition, fidelity, vibrancy,
        vividness, depth, depth of field, dynamic range, tone, tones, tonality, balance, white balance, edges,
        crispness, visibility, realism, naturalness, signal to noise ratio, smoothness, structure, rendering,
        legibility, framing, luminance, color/colour
        accuracy/reproduction/balance/fidelity/rendition/saturation/quality/grading/contrast/depth, lighting/detail
        quality, level/levels/degree/amount of detail/details/sharpness/clarity/contrast, detail
        level/preservation/retention/rendering, contrast ratio, hues, highlights, outlines, lines, cleanliness,
        readability, separation, precision, noise control/handling/performance""",
    "GOOD": """convincing, believable, authentic, untouched, unblemished, sharp, clear, crisp, clean, detailed, vivid,
        vibrant, colorful, colourful, bright, natural, realistic, pleasing, appealing, attractive, beautiful,
        balanced, well/properly/correctly/nicely
        exposed/lit/focused/balanced/composed/defined/framed/rendered/illuminated, in focus, focused, smooth, high
        quality, high resolution, good, great, excellent, fine, nice, legible, lifelike, polished, refined, defined,
        saturated, illuminated, contrasted, visually/aesthetically appealing/pleasing/attractive, professional,
        striking, high contrast, decent, lively, rich, true to life, contrasty, readable, recognizable, visible,
        distinct, strong, impressive, even, evenly [lit], soft/gentle/diffuse [even]
        light/lighting/illumination/window light/shadows, studio quality, noise free, artifact free, sharply
        focused, perfect, outstanding, remarkable, superb, stunning, exceptional, magnificent, exquisite, gorgeous,
        luminous, delight, pleasure, accomplished, flawless,
        less/minimally processed/compressed/edited/retouched/manipulated, faultless, spotless, pristine, immaculate,
        [as] good as is, nearly/almost flawless/perfect""",
    # without what the other has
    "SPARED": """none of this/these/that/those/it/them
        [problems/issues/flaws/defects/faults/weaknesses/artifacts/things], nothing/anything wrong with/in, nothing
        of the kind/sort, no such
        thing/things/problem/problems/issue/issues/flaw/flaws/defect/defects/weakness/weaknesses/fault/faults/repair/artifacts/correction/corrections,
        the same can not be said of/for/about, this/that/which can not be said of/for/about, no comparable
        weakness/weaknesses/problem/problems/issue/issues/flaw/flaws/defects, neither/none of which, next to
        nothing, not any of this/these/that""",
    "DONE": "lit, exposed, composed, resolved, framed, rendered, preserved, captured, separated, processed",
    "BAD": """waxy, plasticky, crooked, overprocessed, doubled, blotchy, blurry, blurred, noisy, grainy, dark, dim,
        dull, distorted, degraded, compressed, pixelated, pixellated, overexposed, underexposed, over exposed, under
        exposed, washed out, out of focus, hazy, foggy, muddy, soft, unclear, unnatural, low quality, low
        resolution, poor, bad, terrible, awful, ugly, faded, flat, fuzzy, smeared, smeary, smudged, jagged, blocky,
        unsharp, artificial, oversaturated, over saturated, oversharpened, murky, mess, messy, horrible, mediocre,
        unpleasant, disappointing, damaged, corrupted, weak, flawed, tinted, shaky, glary, banded, poorly lit, badly
        exposed, poorly exposed, poorly focused, undersaturated, desaturated, lifeless, bland, unappealing,
        unbalanced, crude, harsh, blown out, too dark/bright, limited, obscured, cluttered, defective, unusable,
        unreadable, illegible, indistinct, unfocused, defocused, monotonous, unattractive, backlit, riddled,
        littered, plagued, uneven, unevenly, patchy, low contrast, lossy, disaster, junk, trash, garbage, worthless,
        smoky, speckled, blown, clipped, mushy, smeary, burnt out""",
    "WORSE": """inferior, the/a weaker, weaker one/image/picture/photo, worse, worst, poorer, poorest, blurrier,
        blurriest, noisier, noisiest, grainier, darker, darkest, dimmer, duller, softer, hazier, fuzzier, muddier,
        flatter, uglier, dirtier, lesser, greater evil/problem, greater of [the] two evils, murkier, foggier, harsher,
        loser, losing, loses, lose, blockier, cruder,
        harder to see, drabber, weakest, poorly, badly""",
    "DEFECT": """specks, blotches, noise, blur, blurriness, blurring, artifact, artifacts, artefact, artefacts,
        distortion, distortions, grain, graininess, compression, banding, haze, haziness, halo, halos, haloes,
        ringing, aliasing, moire, moiré, pixelation, blockiness, blocking, glare, flare, vignetting,
        block edges/boundaries/artifacts, chromatic
        aberration/aberrations/noise, aberration, aberrations, color cast, colour cast, fringing, fog, flicker,
        clipping, overexposure, underexposure, ghosting, smearing, posterization, degradation, defect, defects,
        flaw, flaws, imperfections, problem, problems, issue, issues, error, errors, scratches, dust, speckle,
        speckles, darkness, loss, loss of detail, damage, jpeg/compression/visual artifacts/artefacts, dithering,
        streaks, stains, jaggies, softness, tint, watermark, watermarks, jitter, camera shake, motion blur, sign,
        signs, trace, traces, tearing, dullness, noise level/levels, level/levels of noise, drawbacks, weakness,
        weaknesses, shortcomings, faults, fault, smudging, harshness, impairments, cast, casts, blown highlights,
        clipped highlights""",
    "SIMILAR": """similar, alike, aligned, close, consistent, matching, descriptive, relevant, in line, faithful, loyal,
        akin, related, alignment, similarity, resemblance""",
    # of both
    "BOTH": "both, the/these/those/them/all two/three/four, they, them, these, those, the pair, all, the group/set",
    "NEITHER": "neither",
    "EQUAL": """on the same level, come/comes out even/level, practically level, call them even, as good as the other,
        cancel [each other] out, nothing/little to choose between, not
        much to choose between, same, identical, equal, comparable, indistinguishable, on [a] par, neck and neck,
        tied, tie, draw, equivalent, equally, interchangeable, just/equally/every [bit] as good/sharp/clear as, toss
        up, a wash, evenly matched, dead heat, no different, no preference""",
    "DIFFERENCE": """[noticeable/visible/significant/discernible/perceptible/real/clear/obvious/
        meaningful/apparent/visual/major/quality] difference/differences""",
    "APART": "distinguish, differentiate, tell apart, tell the difference, tell them/the two apart",
    "EACH": "each other, one another, each",
    "OTHER": "the other [one/image/picture/photo/option/caption], its counterpart, the others, others",
}
