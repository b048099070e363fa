"""Makes up a Flagsmith project and contexts, and says what Flagsmith's own engine answers.

    flagsmith.py SEED FLAGS SEGMENTS CONTEXTS

writes one JSON object: `project` in the shapes of the API, `contexts`, and `answers`, a list for each environment with one entry for
each context: `flags` by name (`enabled`, `value`), `segments` by id. The same seed gives the same project.

What an identity overrides is looked up by its identifier, as the server does; everything else is the engine's.
"""

import json
import random
import sys
import warnings

from flag_engine.engine import get_evaluation_result

warnings.simplefilter("ignore")

KEYS = ["alice", "bob", "20", "020", "20.0", "ünï", "Alice", "", "a@example.com", "1.2.3", "true"]
TEXTS = [
    "DE", "de", "AT", "", " DE", "abc", "a@example.com", "b@EXAMPLE.com", "true", "True", "false", "False", "None",
    "20", "020", "20.0", "20.50", "2e1", "+20", ".5", "5.", "-0", "-20", "- 1", "nan", "inf", "ünï", "ß", "line\n", "a,b",
    "1.2.3", "1.2", "1.10.0", "1.2.3-rc.1", "1.2.3+build", "v1.2.3", "2024-01-01", "2024-01-01T00:00:00Z",
    "2024-01-01T01:00:00+01:00", "premium", "prem", "x_y", "a\u0301", "²", "\x1c",
]
NUMBERS = [0, 1, 2, -1, 19, 20, 21, 20.0, 20.5, -20, 0.5, 123, 1e3, 5, 9007199254740993, 1e-7, 1e21]
PROPERTIES = ["country", "age", "plan", "email", "version", "beta"]
OPERANDS = TEXTS + ["0", "1", "2", "5", "-1", "19", "20.5", "123", "1.2.3:semver", "1.10.0:semver", "1.2:semver", "1.2.3-rc.1:semver"]
PATTERNS = [
    "D", "^D", ".*@example\\.com$", ".*@example\\.com", "[a-z]+", "\\d+", "^\\d+$", "(DE|AT)", "b", "\\w+$", "\\s", "true", "^T", "x_y$",
    "(?i)de", "prem(ium)?$", "(?=D)D", "(a)\\1", "a{2", "[[]", "[\\w.]+@", "a|@", "line$", "ü", "1\\.2\\.\\d", "[^@]+@[a-z.]+\\Z", "\\bDE\\b",
]
COMPARISONS = ["GREATER_THAN", "GREATER_THAN_INCLUSIVE", "LESS_THAN", "LESS_THAN_INCLUSIVE"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, things):
        return self.random.choice(things)

    def chance(self, share):
        return self.random.random() < share

    # Segments.

    def condition(self):
        operator = self.pick(
            ["EQUAL"] * 4 + ["IN"] * 5 + ["NOT_EQUAL"] * 2 + ["CONTAINS"] * 3 + ["REGEX"] * 3 + ["IS_SET", "IS_NOT_SET"] * 2
            + COMPARISONS * 2 + ["NOT_CONTAINS", "PERCENTAGE_SPLIT", "MODULO"]
        )
        prop = self.pick(PROPERTIES * 4 + ["$.identity.identifier"] * 6 + ["$.environment.name", "key", "$.identity.traits.age"][:1 + self.chance(0.3) * 2])
        value = self.pick(OPERANDS)
        if operator == "REGEX":
            value = self.pick(PATTERNS)
        elif operator == "IN":
            values = [self.pick(TEXTS) for _ in range(self.random.randint(1, 3))]
            as_json = [self.pick([20, 1, True, None, value]) if self.chance(0.1) else value for value in values]
            value = json.dumps(as_json) if self.chance(0.3) else ",".join(values)
        elif operator in COMPARISONS and self.chance(0.5):
            value = self.pick(["1.2.3:semver", "1.10.0:semver", "20", "5"])
        elif operator in ("EQUAL", "NOT_EQUAL") and self.chance(0.3):
            value = self.pick(["true", "false"])
        elif operator == "PERCENTAGE_SPLIT":
            value = self.pick(["0", "50", "100", "100", "12.5", "abc"])
            prop = self.pick([None, prop])
        elif operator == "MODULO":
            value = "2|0"
        elif operator in ("IS_SET", "IS_NOT_SET"):
            value = self.pick([None, ""])
        return {"property": prop, "operator": operator, "value": value, "description": None}

    def group(self, depth=0):
        kind = self.pick(["ALL", "ANY", "ANY", "NONE"])
        group = {"type": kind, "rules": [], "conditions": [self.condition() for _ in range(self.pick([1, 1, 1, 2, 2, 3]))]}
        if self.chance(0.2) and len(group["conditions"]) > 1:
            for condition in group["conditions"]:
                condition.update(property="country", operator=self.pick(["EQUAL", "IN"]), value=self.pick(["DE", "AT", "CH", "true"]))
        if depth < 2 and self.chance(0.1):
            group["rules"] = [self.group(depth + 1)]
            if self.chance(0.5):
                group["conditions"] = []
        return group

    def segment(self, number):
        groups = [self.group() for _ in range(self.pick([1, 1, 1, 2]))]
        rules = [{"type": "ALL", "rules": groups, "conditions": []}]
        if self.chance(0.02):
            rules = []
        return {"id": 100 + number, "name": f"Segment {number}", "description": self.pick([None, "some"]), "feature": None, "rules": rules}

    # Flags.

    def value(self, kind):
        if kind == "int":
            return self.pick([0, 5, 42, -1, 2**31 - 1])
        if kind == "bool":
            return self.pick([True, False])
        return self.pick(["a", "b", "everyone", "", "42", "ünï"])

    def feature(self, number, environments):
        kind = self.pick(["toggle"] * 8 + ["unicode"] * 6 + ["int"] * 3 + ["bool", "mixed"])
        typed = (lambda: None) if kind == "toggle" else (lambda: self.value(self.pick(["int", "bool", "unicode"]) if kind == "mixed" else kind))
        options = []
        if kind not in ("toggle", "bool") and self.chance(0.3):
            options = [
                {"id": 1000 * number + place, **spelled(typed()), "default_percentage_allocation": self.pick([0, 10, 33.3]), "key": None}
                for place in range(self.pick([1, 2, 3]))
            ]
        initial = typed()
        if initial == "" and kind == "unicode":
            initial = "first"
        archived = self.chance(0.05)
        feature = {
            "id": 500 + number,
            "name": f"flag-{number}",
            "type": "MULTIVARIATE" if options else self.pick(["STANDARD", "STANDARD", "FLAG" if kind == "toggle" else "CONFIG"]),
            "default_enabled": False,
            "initial_value": None if initial is None else str(initial),
            "description": self.pick([None, "what it does"]),
            "created_date": "2024-05-06T07:08:09.123456Z",
            "tags": self.random.sample([1, 2, 3], self.random.randint(0, 3)),
            "is_archived": archived,
            "multivariate_options": options,
            "num_segment_overrides": 0,
            "num_identity_overrides": 0,
        }
        for environment in environments:
            enabled = self.chance(0.85)
            own = None if kind == "toggle" or self.chance(0.03) else typed()
            shares = self.pick([[0, 0, 0], [100, 0, 0], [50, 50, 0], [33.33, 33.33, 33.34], [12.5, 0, 30]])
            allocations = [{"id": 9, "multivariate_feature_option": option["id"], "percentage_allocation": share} for option, share in zip(options, shares)]
            environment["states"].append(self.state(feature, enabled, own, allocations, environment))
            for identifier in self.random.sample(KEYS, self.pick([0, 0, 0, 1, 2])):
                state = self.state(feature, self.chance(0.8), None if kind == "toggle" or self.chance(0.1) else typed(), [], environment)
                state["identity"] = {"id": KEYS.index(identifier), "identifier": identifier}
                if options and self.chance(0.5):
                    state["multivariate_feature_state_values"] = [
                        {"id": 9, "multivariate_feature_option": options[0]["id"], "percentage_allocation": self.pick([100, 100, 40])}
                    ]
                environment["overrides"].append(state)
                feature["num_identity_overrides"] += environment is environments[0]
            if self.chance(0.03):
                state = self.state(feature, not enabled, own, allocations, environment)
                state["feature_segment"] = {"segment": 100}
                environment["states"].append(state)
                feature["num_segment_overrides"] += environment is environments[0]
        return feature

    def state(self, feature, enabled, value, allocations, environment):
        held = spelled(value)
        if value == 5 and value is not True:
            held["string_value"] = "everyone"
        return {
            "id": self.random.randrange(10**6),
            "feature": feature["id"],
            "enabled": enabled,
            "environment": environment["id"],
            "identity": None,
            "feature_segment": None,
            "feature_state_value": held,
            "multivariate_feature_state_values": allocations,
        }

    def project(self, flags, segments):
        environments = [
            {"id": 31 + place, "name": name, "api_key": f"key-{place}", "states": [], "overrides": []}
            for place, name in enumerate(["Production", "QA Europe", "Development"])
        ]
        return {
            "segments": [self.segment(number) for number in range(segments)],
            "features": [self.feature(number, environments) for number in range(flags)],
            "environments": environments,
            "tags": [{"id": 1, "label": "beta", "color": "#fff"}, {"id": 2, "label": "team x", "color": "#fff"}, {"id": 3, "label": "Ü", "color": "#fff"}],
        }

    def context(self):
        attributes = {}
        for name in PROPERTIES:
            if self.chance(0.75):
                attributes[name] = self.pick([self.pick(TEXTS), self.pick(TEXTS), self.pick(NUMBERS), self.pick([True, False]), None])
        key = self.pick(KEYS) if self.chance(0.7) else f"user-{self.random.randrange(1000)}"
        return {"key": key or "user", "attributes": attributes}


def spelled(value):
    """A value as states hold it, with a field for each type."""
    if isinstance(value, bool):
        return {"type": "bool", "string_value": None, "integer_value": None, "boolean_value": value}
    if isinstance(value, int):
        return {"type": "int", "string_value": None, "integer_value": value, "boolean_value": None}
    return {"type": "unicode", "string_value": value, "integer_value": None, "boolean_value": None}


def plain(held):
    return held[{"bool": "boolean_value", "int": "integer_value", "unicode": "string_value"}[held["type"]]]


def feature_context(feature, state):
    options = {option["id"]: plain(option) for option in feature["multivariate_options"]}
    variants = [
        {"key": str(place), "value": options[one["multivariate_feature_option"]], "weight": one["percentage_allocation"], "priority": place}
        for place, one in enumerate(state["multivariate_feature_state_values"])
    ]
    return {"key": str(feature["id"]), "name": feature["name"], "enabled": state["enabled"], "value": plain(state["feature_state_value"]), "variants": variants}


class Environment:
    """One environment, in the form that the engine takes."""

    def __init__(self, project, environment):
        features = {feature["id"]: feature for feature in project["features"]}
        self.context = {"environment": {"key": environment["api_key"], "name": environment["name"]}}
        self.features, self.overrides = {}, {}
        self.segments = {
            str(segment["id"]): {"key": str(segment["id"]), "name": str(segment["id"]), "rules": segment["rules"], "overrides": []}
            for segment in project["segments"]
        }
        for state in environment["states"]:
            made = feature_context(features[state["feature"]], state)
            if state["feature_segment"] is None:
                self.features[made["name"]] = made
            else:
                segment = self.segments.get(str(state["feature_segment"]["segment"]))
                if segment is not None:
                    segment["overrides"].append(made)
        for state in environment["overrides"]:
            made = feature_context(features[state["feature"]], state)
            self.overrides.setdefault(state["identity"]["identifier"], {})[made["name"]] = made

    def answer(self, context):
        own = self.overrides.get(context["key"], {})
        segments = {
            key: {**segment, "overrides": [one for one in segment["overrides"] if one["name"] not in own]}
            for key, segment in self.segments.items()
        }
        identity = {"identifier": context["key"], "traits": context["attributes"]}
        result, unfit = self.evaluate({**self.context, "identity": identity, "features": {**self.features, **own}}, segments)
        flags = {name: {"enabled": flag["enabled"], "value": flag["value"]} for name, flag in result["flags"].items()}
        found = {segment["name"] for segment in result["segments"]}
        return {"flags": flags, "segments": {key: key in found for key in segments if key not in unfit}}

    @staticmethod
    def evaluate(context, segments):
        """Segments that the engine cannot evaluate (a pattern that Python does not compile) have no answer."""
        unfit = set()
        while True:
            left = {key: segment for key, segment in segments.items() if key not in unfit}
            try:
                return get_evaluation_result({**context, "segments": left}), unfit
            except Exception:  # noqa: BLE001
                unfit.update(key for key, segment in left.items() if not Environment.is_fit(context, key, segment))

    @staticmethod
    def is_fit(context, key, segment):
        try:
            get_evaluation_result({**context, "segments": {key: segment}})
            return True
        except Exception:  # noqa: BLE001
            return False


def main():
    seed, flags, segments, contexts = (int(argument) for argument in sys.argv[1:])
    maker = Maker(seed)
    project = maker.project(flags, segments)
    contexts = [maker.context() for _ in range(contexts)]
    judges = [Environment(project, environment) for environment in project["environments"]]
    answers = [[judge.answer(context) for context in contexts] for judge in judges]
    json.dump({"project": project, "contexts": contexts, "answers": answers}, sys.stdout)


if __name__ == "__main__":
    main()
