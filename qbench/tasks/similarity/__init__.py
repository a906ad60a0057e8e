"""UniSim-Bench: seven tasks of perceptual similarity, for encoders, models that score images, and models that write.

UniSim, Secs. 2.2, 3.1 and App. B and C, https://arxiv.org/abs/2412.10594; instructions of Table 6. What each task reads
of a `Sample` ("alternatives" are what may be chosen, in the order listed; `answer` is the place of the right one among
them, counted from 0, or None where it is private):

=============  ==============================  ==========  ============================================
task           images                          texts       and
=============  ==============================  ==========  ============================================
`img-2afc`     reference, 2 alternatives                   `reference` names the first image
`it-2afc`      2 to 9 alternatives             1 caption
`text-2afc`    reference                       2 captions  `reference` names the image
`iqa-2afc`     2 alternatives                              right is the better in quality
`attributes`   2 alternatives                              `groups["attribute"]`: one of `ATTRIBUTES`
`odd-one-out`  3 alternatives                              right is the odd one
`retrieval`    1 (a query, or one to search)               `relevance` of a query
=============  ==============================  ==========  ============================================

`reference` is None in the other tasks, and where there is a reference image it is the first of `images`. Every other
entry of `groups` (a difficulty, a distortion) is reported apart. Samples that are not independent, such as pairs made
from one photo or images of one prompt, share a `cluster` and are resampled together.

In retrieval, samples without `relevance` are the images to search. A query's `relevance` sorts their ids into `easy`,
`hard` and `junk`; each may be missing, all others are irrelevant, and a query that is to be ignored among the images
to search is junk of its own.

A manifest row of the first six tasks is `{"images": [...], "texts": [...], "reference": "ref.png", "label": 1}` with
what the task has of these: `images` and `texts` without the reference, which is always an image (a caption that images
are measured against is the one in `texts`); besides, as wanted, `"attribute": "sharpness"`, `"groups": {"difficulty":
"fine"}`, `"cluster": "photo 7"` and `"id"`. A retrieval manifest holds a row `{"img_path": "a.png"}` for each image to
search, whose id is that path, and a row `{"query": "q.png", "easy": ["a.png"], "hard": [], "junk": []}` for each query.
"""
