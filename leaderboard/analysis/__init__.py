"""Answer habits that look like ability, or hide it: findings from results, each with one sentence that says it."""
