"""Fills an Unleash through its admin API, and answers for it by its own engine.

Arguments: the address, an admin token, and how many contexts to answer for. Prints one JSON object: the contexts, the answers of each
environment by flag in their order, the flags of which an import should have nothing to say, and flags of which only the share of
each answer counts, with the keys to count over.
"""

import collections
import concurrent.futures
import json
import sys
import urllib.request

from yggdrasil_engine.engine import UnleashEngine

import unleash_flags
from unleash_flags import ENVIRONMENTS

# What has a place of its own in a context; everything else is a property.
FIELDS = {"sessionId", "remoteAddress", "environment", "appName", "currentTime"}
DEFAULTS = {"string": "", "csv": "", "number": 0, "json": {}}
# What installations have kept from older versions, and one that nobody else has.
STRATEGIES = {
    "userWithId", "gradualRolloutUserId", "gradualRolloutSessionId", "gradualRolloutRandom", "remoteAddress",
    "applicationHostname", "ofOurOwn",
}
SHARE_KEYS = [f"user-{number}" for number in range(1_000)]


class Unleash:
    def __init__(self, address, token):
        self.address, self.token = address, token

    def call(self, method, path, body=None, token=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": token or self.token, "Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                text = answer.read()
        except urllib.error.HTTPError as refusal:
            raise RuntimeError(f"{method} {path} {body}: {refusal.code} {refusal.read().decode()}") from refusal
        return json.loads(text) if text else None

    def admin(self, method, path, body=None):
        return self.call(method, f"/api/admin{path}", body)


def fill(unleash):
    """Makes everything; gives the flags as they were asked for."""
    known = {strategy["name"] for strategy in unleash.admin("GET", "/strategies")["strategies"]}
    for name in STRATEGIES - known:
        unleash.admin("POST", "/strategies", {"name": name, "parameters": []})
    ids = {}
    for segment in unleash_flags.segments():
        ids[segment["name"]] = unleash.admin("POST", "/segments", segment)["id"]
    flags = list(unleash_flags.flags(ids))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda flag: make(unleash, flag), flags))
    for flag in flags:
        for dependency in flag.get("depends", []):
            unleash.admin("POST", f"/projects/default/features/{flag['name']}/dependencies", dependency)
    unleash.admin("POST", "/features/plain/tags", {"type": "simple", "value": "one tag"})
    unleash.admin("POST", "/projects/default/stale", {"features": ["listed"], "stale": True})
    unleash.admin("POST", "/projects/default/features", {"name": "gone", "type": "release"})
    unleash.admin("DELETE", "/projects/default/features/gone")
    return flags


def make(unleash, flag):
    path = f"/projects/default/features/{flag['name']}"
    unleash.admin("POST", "/projects/default/features", {"name": flag["name"], "type": flag["type"]})
    for environment, state in flag["states"].items():
        for strategy in state["strategies"]:
            unleash.admin("POST", f"{path}/environments/{environment}/strategies", strategy)
        if "older" in flag:
            unleash.call("PUT", f"/older/{flag['name']}/{environment}", flag["older"])
        elif state["on"]:
            unleash.admin("POST", f"{path}/environments/{environment}/on", {})


def engine(unleash, environment):
    secret = unleash.admin("POST", "/api-tokens", {
        "type": "client", "tokenName": environment, "environment": environment, "projects": ["default"],
    })["secret"]
    served = unleash.call("GET", "/api/client/features", token=secret)
    made = UnleashEngine()
    made.take_state(json.dumps(served))
    return made


def as_text(value):
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def as_unleash(context):
    """The same context, where every attribute is a text and none is null."""
    texts = {name: as_text(value) for name, value in context["attributes"].items() if value is not None}
    fields = {name: text for name, text in texts.items() if name in FIELDS}
    properties = {name: text for name, text in texts.items() if name not in FIELDS}
    return {"userId": context["key"], "properties": properties, **fields}


def answer(made, flag, context):
    """Whether a flag is on; the payload that it serves, where it has some."""
    payload = flag.get("payload")
    if payload is None:
        return made.check_enabled(flag["name"], context).is_enabled
    served = made.check_variant(flag["name"], context).variant.payload
    if not served:
        return DEFAULTS[payload]
    value = served["value"]
    return value if payload in ("string", "csv") else json.loads(value)


def variant_name(made, flag, context):
    """The variant that a user gets by name, or nothing."""
    found = made.check_variant(flag["name"], context).variant
    return found.name if found and found.enabled else ""


def main():
    address, token, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    unleash = Unleash(address, token)
    flags = [flag for flag in fill(unleash) if flag.get("payload") != "mixed"]
    contexts = list(unleash_flags.contexts(count))
    answers, shares, each_share = collections.defaultdict(dict), {}, {}
    for environment in ENVIRONMENTS:
        made = engine(unleash, environment)
        theirs = [as_unleash(context) for context in contexts]
        for flag in flags:
            if flag.get("share"):
                if environment == "production":
                    each = [answer(made, flag, {"userId": key, "sessionId": key}) for key in SHARE_KEYS]
                    shares[flag["name"]] = collections.Counter(map(json.dumps, each))
                    names = [variant_name(made, flag, {"userId": key, "sessionId": key}) for key in SHARE_KEYS]
                    each_share[flag["name"]] = list(map(list, zip(each, names)))
                continue
            answers[environment][flag["name"]] = [answer(made, flag, context) for context in theirs]
    exact = [flag["name"] for flag in flags if flag["exact"]]
    json.dump({"contexts": contexts, "answers": answers, "exact": exact, "share_keys": SHARE_KEYS, "shares": shares,
               "each_share": each_share}, sys.stdout)


main()
