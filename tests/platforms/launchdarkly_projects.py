"""Random LaunchDarkly projects, in the shapes of its REST API, and contexts to ask about. The same seed gives the same project.

A good part of each project is simple, as real ones are; the rest tries what an importer may get wrong.
"""

import random

ENVIRONMENTS = [
    ("production", "Production", "417505"),
    ("qa_europe", "QA Europe", "F5A623"),
    ("test", "Test", "0074E4"),
]
COUNTRIES = ["DE", "AT", "CH", "de", "Österreich"]
KEYS = [f"user-{number}" for number in range(30)] + ["5", "true", "ünï", "user-1 ", "USER-1", "1.2.3", "2024-01-01T00:00:00Z"]
VERSIONS = ["1.2.3", "2.0.0", "2.0", "2", "1.2.3-rc.1", "1.2.3+build", "10.0.0", "2.1", "v1.2.3", "1.2"]
DATES = ["2024-01-01T00:00:00Z", "2024-06-01T00:00:00+02:00", "2023-01-01t00:00:00z", "2024-01-01", "2025-01-01 00:00:00Z"]
NUMBERS = [0, 5, 5.0, -3, 0.1, 20, 21, 18.5, 1e21, 2**53 + 1, 1704067200000, -0.0]
TEXTS = COUNTRIES + ["", "5", "5.0", "20", "+5", "true", "false", "True", "admin@acme.com", "admin@acme.com\n", "ACME", "e", "user", "-", "1.5"]
ODD = [None, [], ["DE"], ["AT", 5], ["5", "x"], [None], [["DE"]], [True, "v"], [1, 30], ["1.0.0", "3.0.0"], {"a": 1}, {}]
ATTRIBUTES = {
    "country": COUNTRIES,
    "age": NUMBERS,
    "version": VERSIONS,
    "signup": DATES + [1704067200000, 1.5],
    "beta": [True, False],
    "email": ["admin@acme.com", "bob@example.org", "admin@acme.com\n", "@", ""],
    "plan": ["free", "pro", "enterprise", "PRO"],
    "name": ["Ann", "Bob", "5", ""],
    "/odd/name": ["x", "DE"],
    "a.b": ["x", "DE", 5],
    "a/b": ["x", "y~z"],
    "anonymous": [True, False],
}
PATTERNS = ["^admin", "@acme\\.com$", "[0-9]", "^v[0-9]+", "(?i)acme", "e", "", "^(DE|AT)", "\\d+", "a{1,2}", "(?=x)", "(", "\\bpro\\b", "^.r", "[^a-z]", "p?5"]
NUMERIC = ["lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual"]
TEXTUAL = ["startsWith", "endsWith", "contains"]
TIMES = ["before", "after"]
SEMANTIC = ["semVerEqual", "semVerLessThan", "semVerGreaterThan"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def pick(self, values):
        return self.random.choice(values)

    def some(self, values, most=3):
        return [self.pick(values) for _ in range(self.random.randint(1, most))]

    def project(self, flags):
        environments = [
            {"key": key, "name": name, "color": color} for key, name, color in ENVIRONMENTS
        ]
        segments = self.segments(max(4, flags // 12))
        made = []
        for number in range(flags):
            made.append(self.flag(f"flag-{number}", made, [segment["key"] for segment in segments["test"]]))
        return {"environments": environments, "segments": segments, "flags": made}

    # Contexts

    def contexts(self, count):
        return [self.context() for _ in range(count)]

    def context(self):
        attributes = {}
        for name, values in ATTRIBUTES.items():
            if self.chance(45):
                continue
            attributes[name] = self.pick(values)
            if name not in ("name", "anonymous") and self.chance(25):
                attributes[name] = self.pick(TEXTS + NUMBERS + [True, False] + ODD + VERSIONS + DATES)
        return {"key": self.pick(KEYS), "attributes": attributes}

    # Clauses

    def clause(self, segments=(), is_simple=False):
        if is_simple:
            return self.simple_clause(segments)
        draw = self.random.random() * 100
        if segments and draw < 22:
            values = self.some(list(segments) + ["missing-segment"] * self.chance(5), 2)
            return clause("", "segmentMatch", values, self.chance(4))
        attribute = self.pick(list(ATTRIBUTES) + ["key", "key", "country", "kind"])
        kind = self.pick(["user", "user", "user", "user", "", None, None, "org" if self.chance(30) else "user"])
        reference = attribute
        if kind and attribute.startswith("/"):
            reference = self.pick([attribute, "/" + attribute.replace("~", "~0").replace("/", "~1"), "/odd/name"])
        elif kind and self.chance(10):
            reference = "/" + attribute.replace("/", "~1")
        family = self.random.random() * 100
        typical = ATTRIBUTES.get(attribute, KEYS if attribute == "key" else ["user"])
        if family < 40:
            op, values = "in", self.some(typical, 4)
            if self.chance(15):
                values += self.some(TEXTS + NUMBERS + [True] + [None, ["DE"], {"a": 1}], 2)
        elif family < 56:
            op, values = self.pick(TEXTUAL), self.some([str(value)[:3] for value in typical] + TEXTS, 2)
        elif family < 64:
            op, values = "matches", self.some(PATTERNS, 2)
        elif family < 78:
            op, values = self.pick(NUMERIC), [self.pick(NUMBERS)]
        elif family < 86:
            op, values = self.pick(TIMES), [self.pick(DATES + [1704067200000, 0])]
        elif family < 95:
            op, values = self.pick(SEMANTIC), [self.pick(VERSIONS)]
        else:
            op, values = self.pick(["isNotAThing"] + NUMERIC), self.some(TEXTS + NUMBERS, 2)
        if self.chance(4):
            values = self.some(TEXTS + NUMBERS + [True, None], 2)
        if self.chance(2):
            values = []
        return clause(reference, op, values, self.chance(25), kind)

    def simple_clause(self, segments):
        draw = self.random.random() * 100
        if segments and draw < 25:
            return clause("", "segmentMatch", self.some(segments, 2))
        if draw < 60:
            return clause("country", "in", self.some(COUNTRIES), kind="user")
        if draw < 75:
            return clause("plan", "in", self.some(ATTRIBUTES["plan"]))
        if draw < 85:
            return clause("key", "in", self.some(KEYS), self.chance(30), "user")
        if draw < 92:
            return clause("email", "endsWith", ["@acme.com"], kind="user")
        return clause("email", "matches", ["^admin@"], kind="user")

    # Segments

    def segments(self, count):
        environments = {key: [] for key, _, _ in ENVIRONMENTS}
        for number in range(count):
            key = f"segment-{number}" if number % 5 else f"segment-{number}-rule-1"
            known = [segment["key"] for segment in environments["test"]]
            segment = self.segment(key, known, is_simple=self.chance(50))
            for name in environments:
                if self.chance(6):
                    continue
                if self.chance(8):
                    segment = self.segment(key, known, is_simple=self.chance(50))
                environments[name].append(segment)
            if not any(segment["key"] == key for segment in environments["test"]):
                environments["test"].append(segment)
        return environments

    def segment(self, key, known, is_simple):
        segment = {
            "key": key, "name": key.upper(), "description": "", "tags": [], "creationDate": 1693905528781,
            "lastModifiedDate": 1693905528781, "included": [], "excluded": [], "includedContexts": [], "excludedContexts": [],
            "rules": [], "version": 1, "deleted": False, "generation": 1, "unbounded": False, "salt": f"salt-{key}",
        }
        if self.chance(50):
            segment["included"] = self.some(KEYS, 4)
        if self.chance(30):
            segment["excluded"] = self.some(KEYS, 4)
        for _ in range(self.random.randint(0, 3)):
            clauses = [self.clause(known[-3:] if self.chance(30) else (), is_simple) for _ in range(self.random.randint(0 if self.chance(5) else 1, 2))]
            segment["rules"].append({"clauses": clauses})
        if not is_simple:
            if self.chance(8):
                segment["unbounded"] = True
            if self.chance(10):
                segment["includedContexts"] = [{"contextKind": "org", "values": ["acme"]}]
            if self.chance(10):
                segment["excludedContexts"] = [{"contextKind": self.pick(["org", "user"]), "values": self.some(KEYS)}]
            if segment["rules"] and self.chance(15):
                segment["rules"][0]["weight"] = self.pick([0, 30_000, 100_000])
        return segment

    # Flags

    def variations(self):
        draw = self.random.random() * 100
        if draw < 55:
            values = self.pick([[True, False], [True, False], [False, True]])
            return "boolean", values
        if draw < 75:
            return "multivariate", ["a", "b", "c", "", "5"][: self.random.randint(2, 5)]
        if draw < 86:
            return "multivariate", [0, 1, 2.5, 0.30000000000000004][: self.random.randint(2, 4)]
        if draw < 94:
            return "multivariate", [{"a": [1, None]}, [], [1, {"b": "ü"}]][: self.random.randint(2, 3)]
        if draw < 97:
            return "multivariate", [True, False, True]
        return "multivariate", ["a", 1]

    def flag(self, key, before, segments):
        kind, values = self.variations()
        is_simple = self.chance(55)
        off = self.random.randrange(len(values))
        flag = {
            "key": key, "name": key, "kind": kind, "description": "", "creationDate": 1693905528781, "tags": self.some(["a", "b"]),
            "archived": False, "temporary": True, "variations": [{"_id": str(at), "value": value} for at, value in enumerate(values)],
            "defaults": {"onVariation": 0, "offVariation": off}, "environments": {},
        }
        prerequisites = []
        if before and self.chance(15):
            for required in self.some(before, 2):
                variation = self.random.randrange(len(required["variations"]))
                if is_simple and required["kind"] == "boolean":
                    variation = [one["value"] for one in required["variations"]].index(True)
                prerequisites.append({"key": required["key"], "variation": variation})
        config = None
        for name, title, _ in ENVIRONMENTS:
            if config is None or self.chance(60):
                config = self.config(len(values), off, segments, is_simple, prerequisites)
            here = dict(config, on=self.chance(80), salt=f"{key}-{name}", lastModified=1693905528795, _environmentName=title)
            if not is_simple and self.chance(10):
                here["offVariation"] = self.random.randrange(len(values))
            if not is_simple and self.chance(4):
                here.pop("offVariation", None)
            if not is_simple and self.chance(2):
                here.pop("fallthrough")
            if not is_simple and self.chance(5):
                here["prerequisites"] = prerequisites[:1]
            flag["environments"][name] = here
        return flag

    def config(self, count, off, segments, is_simple, prerequisites):
        config = {"offVariation": off, "fallthrough": self.serves(count, 5 if is_simple else 25), "targets": [], "contextTargets": [], "rules": [], "prerequisites": prerequisites}
        if self.chance(30):
            for variation in self.random.sample(range(count), self.random.randint(1, count)):
                config["targets"].append({"values": self.some(KEYS, 4), "variation": variation, "contextKind": "user"})
            if self.chance(50):
                order = list(config["targets"])
                self.random.shuffle(order)
                config["contextTargets"] = [dict(target, values=[]) for target in order]
        if not is_simple and self.chance(8):
            config["contextTargets"].append({"values": ["acme"], "variation": 0, "contextKind": "org"})
        if not is_simple and self.chance(3):
            config["targets"].append({"values": ["user-1"], "variation": 9})
        for _ in range(self.random.randint(0, 2 if is_simple else 3)):
            clauses = [self.clause(segments, is_simple) for _ in range(self.pick([1, 1, 2, 3]))]
            rule = {"_id": "rule", "clauses": clauses, "trackEvents": False}
            rule.update(self.serves(count, 0 if is_simple else 15))
            if self.chance(5):
                rule["disabled"] = True
            if not is_simple and self.chance(3):
                rule["variation"] = count
                rule.pop("rollout", None)
            config["rules"].append(rule)
        return config

    def serves(self, count, rollouts):
        if not self.chance(rollouts):
            return {"variation": self.random.randrange(count)}
        weights = self.pick([[50_000, 50_000], [100_000, 0], [10_000, 90_000], [33_333, 33_333, 33_334], [60_000, 20_000], [0, 0]])
        variations = [{"variation": at % count, "weight": weight} for at, weight in enumerate(weights)]
        rollout = {"variations": variations}
        if self.chance(15):
            rollout["bucketBy"] = self.pick(["key", "country", "/country"])
        if self.chance(8):
            rollout["contextKind"] = self.pick(["user", "org"])
        if self.chance(8):
            rollout["kind"] = "experiment"
            rollout["seed"] = 7
        return {"rollout": rollout}


def clause(attribute, op, values, negate=False, kind=None):
    made = {"_id": "clause", "attribute": attribute, "op": op, "values": values, "negate": negate}
    if kind is not None:
        made["contextKind"] = kind
    return made
