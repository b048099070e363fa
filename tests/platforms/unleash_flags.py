"""Flags as they are kept in Unleash: one for each thing that a flag can be made of, and random mixtures of them."""

import random

ENVIRONMENTS = ["development", "production"]

# Values of attributes, and what constraints compare them with.
ATTRIBUTES = {
    "country": ["DE", "AT", "de", "", "ät", "FR", 5, "5", 5.5, True, None],
    "plan": ["pro", "PRO", "free", 7, "07", "7", "1.0", 1],
    "age": ["18", 18, "20", "19.5", 5, "5.0", "abc", "", True, "1e1", "007", "9007199254740992", " 5"],
    "email": ["a@acme.com", "B@ACME.COM", "x\\y", 'q"q', "strasse", "STRAẞE", "TASK", "taſk", "Hİ", "none"],
    "version": ["1.2.3", "1.2", "1.10.0", "v1.2.3", "1.2.3-rc.1", "1.2.3-rc.2", "2.0.0", 2, "1.02.3", "2.0.0+x"],
    "when": ["2024-01-01T00:00:00Z", "2025-01-01T00:00:00+01:00", "2024-01-01", "2025-01-01 00:00:00Z", 5, ""],
    "beta": [True, False, "true"],
    "sessionId": ["s1", "s2", "s3", 5],
    "remoteAddress": ["10.0.0.1", "1.2.3.4", "1.2.200.4", "::1"],
}
KEYS = ["u1", "u2", "u3", "u4", "7"]
OPERANDS = {
    "country": ["DE", "AT", "de", "ÄT", "5"],
    "plan": ["pro", "free", "Pro", "7", "07", "1.0"],
    "age": ["18", "20", "5", "5.0", "1e1", "-0"],
    "email": ["a@acme.com", "@ACME.com", "x\\y", 'q"q', "STRASSE", "straße", "task", "hi"],
    "version": ["1.2.3", "1.10.0", "1.2.3-rc.1"],
    "when": ["2024-01-01T00:00:00Z", "2024-06-01T12:00:00.123+02:00"],
    "beta": ["true", "false"],
    "userId": ["u1", "u2", "7"],
    "sessionId": ["s1", "s2"],
    "remoteAddress": ["10.0.0.1", "1.2.3.4"],
}
# By attribute, and whether the constraint has one value or a list of them.
OPERATORS = {
    "age": ["NUM_EQ", "NUM_GT", "NUM_GTE", "NUM_LT", "NUM_LTE"],
    "version": ["SEMVER_EQ", "SEMVER_GT", "SEMVER_LT"],
    "when": ["DATE_AFTER", "DATE_BEFORE"],
}
LISTS = ["IN", "NOT_IN", "STR_CONTAINS", "STR_STARTS_WITH", "STR_ENDS_WITH"]
PATTERNS = ["^a", "[A-Z]+$", "\\d+", "b|c", "(?i)de", "^1\\.", "t.*k"]


def constraint(name, operator, operand, inverted=False, in_any_case=False):
    field = {"values": operand} if isinstance(operand, list) else {"value": operand}
    return {"contextName": name, "operator": operator, "inverted": inverted, "caseInsensitive": in_any_case, **field}


def strategy(name="default", constraints=(), **fields):
    made = {"name": name, "parameters": {}, "segments": [], "variants": [], "disabled": False, **fields}
    return {**made, "constraints": list(constraints)}


def rollout(percentage, stickiness="default", group=None, **fields):
    parameters = {"rollout": str(percentage), "stickiness": stickiness, **({"groupId": group} if group else {})}
    return strategy("flexibleRollout", parameters=parameters, **fields)


def variant(name, weight, kind=None, value=None, **fields):
    payload = {"payload": {"type": kind, "value": value}} if kind else {}
    return {"name": name, "weight": weight, "weightType": "variable", "stickiness": "default", **payload, **fields}


def flag(name, *strategies, exact=True, **fields):
    """On in production, with these strategies. Whether an import should have nothing to say about it is `exact`."""
    states = {"production": {"on": True, "strategies": list(strategies)}}
    return {"name": name, "type": "release", "exact": exact, "states": states, **fields}


def segments():
    return [
        {"name": "germans", "constraints": [constraint("country", "IN", ["DE", "de"])]},
        {"name": "not free", "constraints": [constraint("plan", "NOT_IN", ["free"])]},
        {"name": "adult testers", "constraints": [
            constraint("age", "NUM_GTE", "18"), constraint("beta", "IN", ["true"])]},
        {"name": "others", "constraints": [
            constraint("country", "NOT_IN", ["DE"]), constraint("plan", "IN", ["pro", "PRO"])]},
        {"name": "nobody of acme", "constraints": [constraint("email", "STR_ENDS_WITH", ["@acme.com"], inverted=True)]},
        {"name": "everybody", "constraints": []},
    ]


def of_operators():
    """Each operator, in each form that the server takes, alone and beside another constraint."""
    for name, operand in OPERANDS.items():
        for operator in OPERATORS.get(name, []) + LISTS:
            for inverted in [False, True]:
                for in_any_case in [False, True] if operator.startswith("STR") else [False]:
                    value = operand[:2] if operator in LISTS else operand[0]
                    only = constraint(name, operator, value, inverted, in_any_case)
                    beside = constraint("beta", "IN", ["true"])
                    title = f"{name}-{operator}-{'not' if inverted else 'is'}-{'any' if in_any_case else 'same'}-case"
                    is_negated = inverted and operator not in ["IN", "NOT_IN"]
                    exact = not is_negated and not operator.startswith("DATE")
                    made = flag(title, strategy(constraints=[only]), exact=exact)
                    made["states"]["development"] = {"on": True, "strategies": [strategy(constraints=[only, beside])]}
                    yield made
    for number, pattern in enumerate(PATTERNS):
        for in_any_case in [False, True]:
            only = constraint("email", "REGEX", pattern, in_any_case=in_any_case)
            yield flag(f"pattern-{number}-{in_any_case}", strategy(constraints=[only]))


def of_strategies(segment):
    """Each kind of strategy, alone and with others."""
    german = constraint("country", "IN", ["DE"])
    foreign = constraint("country", "NOT_IN", ["DE", "AT"])
    yield flag("plain", strategy())
    yield flag("without-strategies", older={"on": True, "variants": []})
    yield {**flag("off", strategy()), "states": {"production": {"on": False, "strategies": [strategy()]}}}
    yield flag("one-disabled", strategy(disabled=True), strategy(constraints=[german]))
    yield flag("listed", strategy("userWithId", parameters={"userIds": "u1,u2 , u3"}))
    for stickiness in ["default", "userId", "sessionId", "random", "plan"]:
        yield flag(f"everybody-by-{stickiness}", rollout(100, stickiness))
        yield flag(f"nobody-by-{stickiness}", rollout(0, stickiness, "another"))
    yield flag("old-user-id", strategy("gradualRolloutUserId", parameters={"percentage": "100", "groupId": "g"}))
    yield flag("old-session-id", strategy("gradualRolloutSessionId", parameters={"percentage": "100", "groupId": "g"}))
    yield flag("old-random", strategy("gradualRolloutRandom", parameters={"percentage": "100"}))
    yield flag("addresses", strategy("remoteAddress", parameters={"IPs": "10.0.0.1, 1.2.3.4"}))
    yield flag("networks", strategy("remoteAddress", parameters={"IPs": "10.0.0.1, 1.2.0.0/16"}), exact=False)
    yield flag("new-addresses", strategy("remoteAddress", parameters={"IPs": "::1"}), exact=False)
    yield flag("hosts", strategy("applicationHostname", parameters={"hostNames": "one,two"}), exact=False)
    yield flag("of-our-own", strategy("ofOurOwn", parameters={"x": "1"}), exact=False)
    yield flag("two", strategy(constraints=[german]), strategy("userWithId", parameters={"userIds": "u4"}))
    yield flag("two-negations", strategy(constraints=[foreign, constraint("plan", "NOT_IN", ["pro"])]))
    yield flag("guarded", strategy("userWithId", parameters={"userIds": "u4"}), strategy(constraints=[
        foreign, german, constraint("plan", "NOT_IN", ["pro"]), constraint("email", "STR_CONTAINS", ["acme"], True)]), exact=False)
    yield flag("twice-guarded", *(strategy(constraints=[constraint(name, "STR_CONTAINS", ["a"], True)])
                                  for name in ["email", "plan"]), exact=False)
    for number, names in enumerate([
        ["germans"], ["not free"], ["adult testers"], ["others"], ["nobody of acme"], ["everybody"],
        ["germans", "not free"], ["germans", "adult testers", "not free"], ["others", "not free"],
    ]):
        ids = [segment[name] for name in names]
        exact = "nobody of acme" not in names
        beta = constraint("beta", "IN", ["true"])
        yield flag(f"segments-{number}", strategy(segments=ids), exact=exact)
        yield flag(f"segments-and-more-{number}", strategy(segments=ids, constraints=[beta]), exact=exact)
    yield flag("of-the-environment", strategy(constraints=[constraint("environment", "IN", ["default"])]), exact=False)
    yield flag("of-the-time", strategy(constraints=[constraint("currentTime", "DATE_AFTER", "2024-01-01T00:00:00Z")]), exact=False)


def of_payloads():
    """Variants, of strategies and of flags."""
    german = constraint("country", "IN", ["DE"])
    for kind, value in [("string", "blue"), ("csv", "a,b"), ("number", "2.5"), ("json", '{"a": [1, null]}')]:
        yield flag(f"payload-{kind}", rollout(100, constraints=[german], variants=[variant("v", 1000, kind, value)]), payload=kind, exact=False)
        yield flag(f"payload-of-all-{kind}", rollout(100, variants=[variant("v", 1000, kind, value)]), payload=kind)
    one, other = variant("one", 1000, "string", "one"), variant("other", 1000, "string", "other")
    yield flag("payloads-in-order", strategy(constraints=[german], variants=[one]), strategy(variants=[other]), payload="string", exact=False)
    yield flag("payloads-but-not-first", strategy(constraints=[german]), strategy(variants=[other]), payload="string")
    of_flag = [variant("of the flag", 1000, "string", "all"),
               variant("override", 0, "string", "some", overrides=[{"contextName": "userId", "values": ["u1", "u2"]}])]
    yield flag("payloads-of-the-flag", strategy(constraints=[german], variants=[one]), strategy(), payload="string", older={"on": True, "variants": of_flag}, exact=False)
    yield flag("payload-guarded", strategy(variants=[one], constraints=[constraint("email", "STR_CONTAINS", ["a"], True)]), payload="string", exact=False)
    yield flag("payload-without-strategies", payload="string", older={"on": True, "variants": of_flag}, exact=False)
    empty = [variant("one", 500, "string", "one"), variant("none", 500)]
    yield flag("payload-missing", rollout(100, variants=empty), payload="string", exact=False)
    yield flag("payloads-mixed", rollout(100, variants=[variant("a", 500, "string", "x"), variant("b", 500, "number", "1")]),
               payload="mixed", exact=False)
    yield flag("names-only", rollout(100, variants=[variant("a", 500), variant("b", 500)]), exact=False)


def of_dependencies():
    """Children of a parent that some users have."""
    yield flag("parent", strategy(constraints=[constraint("country", "IN", ["DE"])]))
    yield flag("child", strategy(), depends=[{"feature": "parent"}])
    yield flag("child-of-off", strategy(), depends=[{"feature": "parent", "enabled": False}], exact=False)
    yield flag("colored-parent", rollout(100, variants=[variant("blue", 1000, "string", "b")]), payload="string")
    yield flag("child-of-blue", strategy(), depends=[{"feature": "colored-parent", "variants": ["blue"]}], exact=False)


def of_chance(dice, segment):
    """Random mixtures."""
    for number in range(60):
        name, states = f"random-{number}", {}
        kind = dice.choice([None, None, "string", "number"])
        for environment in ENVIRONMENTS:
            strategies = [random_strategy(dice, name, kind, segment) for _ in range(dice.randint(1, 3))]
            states[environment] = {"on": dice.random() < 0.9, "strategies": strategies}
        yield {"name": name, "type": "experiment", "states": states, "exact": None, "payload": kind}


def random_strategy(dice, flag_name, kind, segment):
    constraints = [random_constraint(dice) for _ in range(dice.choice([0, 1, 1, 2, 3]))]
    fields = {"constraints": constraints, "segments": dice.sample(sorted(segment.values()), dice.choice([0, 0, 1, 2]))}
    if kind:
        value = dice.choice(["1", "2"])
        fields["variants"] = [variant("v", 1000, kind, value)] if dice.random() < 0.8 else []
    chosen = dice.random()
    if chosen < 0.3:
        return strategy("userWithId", parameters={"userIds": "u1,u2"}, **fields)
    if chosen < 0.7:
        return rollout(dice.choice([0, 100, 100]), dice.choice(["default", "sessionId", "plan"]), flag_name, **fields)
    return strategy(**fields)


def random_constraint(dice):
    name = dice.choice(sorted(OPERANDS))
    operator = dice.choice(OPERATORS.get(name, LISTS) + LISTS)
    operand = dice.sample(OPERANDS[name], 2) if operator in LISTS else dice.choice(OPERANDS[name])
    return constraint(name, operator, operand, dice.random() < 0.25, operator.startswith("STR") and dice.random() < 0.4)


def flags(segment, seed=7):
    """All of them; `segment` has the ids of segments by their names."""
    yield from of_operators()
    yield from of_strategies(segment)
    yield from of_payloads()
    yield from of_dependencies()
    yield from of_chance(random.Random(seed), segment)
    shares = [rollout(30, group="shares"), rollout(25, "sessionId")]
    yield flag("share", shares[0], exact=False, share=True)
    yield flag("share-by-session", shares[1], exact=False, share=True)
    split = [variant("a", 250, "string", "a"), variant("b", 750, "string", "b")]
    yield flag("share-of-values", rollout(60, variants=split), payload="string", exact=False, share=True)
    # Of which the users can be kept too.
    for percentage in [1, 33, 50, 99]:
        yield flag(f"share-{percentage}", rollout(percentage, "userId", "one group"), exact=False, share=True)
    german = constraint("country", "IN", ["DE"])
    yield flag("share-in-order", rollout(20, group="shares", constraints=[german]), rollout(70, group="shares"), exact=False, share=True)
    thirds = [variant("blue", 333), variant("green", 333), variant("red", 334)]
    yield flag("share-of-names", rollout(100, group="names", variants=thirds), exact=False, share=True)
    yield flag("share-of-the-flag", rollout(45), payload="string", exact=False, share=True, older={"on": True, "variants": split})


def contexts(count, seed=11):
    dice = random.Random(seed)
    for _ in range(count):
        attributes = {name: dice.choice(values) for name, values in ATTRIBUTES.items() if dice.random() < 0.65}
        yield {"key": dice.choice(KEYS), "attributes": attributes}
