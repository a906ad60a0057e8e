"""What visitors do with models while they watch: no Gradio here, and no engine of its own.

| page | its parts |
|---|---|
| Probe | `probe`, with `questions`, `quality` and `photo_scores` |
| Pair | `pair`, with `quality` |
| Tournament | `tournament`, and `person` where the visitor compares |
| Study | `study`, `study_answers`, with `person` and `tournament` |
| Run | `run_request` -> `run_service` -> `run`, `run_files`. Below it `own_images` and `datasets` |

`service` serves all of them: jobs, the queue for a device, limits, lending of models, uploads.
"""
