"""The offsets of categories in rules."""

from fruler.explain._effects import accepted_levels


def level_offsets(rule_base, rule, feature):
    """Return the offset of a rule's output for each category of a feature that the rule accepts."""
    terms = rule_base.consequents.terms(rule)
    offsets = {}
    for j in feature.inputs:
        levels = rule_base.variables[j].levels
        if levels is None or j not in terms:
            continue
        for level, value in zip(levels.levels, levels.values, strict=True):
            if levels.indicated is None or levels.indicated == level or len(levels.levels) == 2:
                offsets[level] = offsets.get(level, 0.0) + terms[j] * value
    return {level: offsets[level] for level in accepted_levels(rule_base, rule, feature) if level in offsets}
