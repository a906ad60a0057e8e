"""UniSim-Bench: seven tasks of perceptual similarity, for encoders, models that score images, and models that write.

UniSim, Secs. 2.2, 3.1 and App. B and C, https://arxiv.org/abs/2412.10594; instructions of Table 6. What a sample of the
first six tasks holds, their `Shape` says: alternatives in the order listed, after the reference image where there is
one, and the place of the right one among them (the better in quality, the odd one). Every entry of `groups` but the
attribute that is asked about (a difficulty, a distortion) is reported apart. docs/evaluate.md has rows of manifests.

In retrieval, samples without `relevance` are the images to search. A query's `relevance` sorts their ids into `easy`,
`hard` and `junk`; each may be missing, all others are irrelevant, and a query that is to be ignored among the images
to search is junk of its own.
"""
