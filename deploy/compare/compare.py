#!/usr/bin/env python3
"""Asks a platform and Halyard for the same flags and users, and prints where they differ.

compare.py unleash|launchdarkly|flagsmith --flags FILE --users FILE [--all]

FLAGS has a flag key on each line. USERS has a JSON object on each line: {"key": "ada", "attributes": {"country": "DE"}}.
Each difference is a line of JSON; the last line counts. The exit status is 1 where something differs. The environment says where to ask:

HALYARD_URL, HALYARD_KEY          an edge or control plane, and a server key of the environment
UNLEASH_URL, UNLEASH_KEY          the server, and a frontend token of the environment
LAUNCHDARKLY_KEY                  the SDK key of the environment; needs the package launchdarkly-server-sdk
LAUNCHDARKLY_FILE                 instead: flags in the form of the SDK's file data source
FLAGSMITH_URL, FLAGSMITH_KEY      the API (https://edge.api.flagsmith.com/api/v1), and the environment's key
"""

import argparse
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request


def setting(name):
    value = os.environ.get(name)
    if not value:
        sys.exit(f"{name} is not set\n\n{__doc__}")
    return value.rstrip("/") if name.endswith("_URL") else value


def call(url, headers, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        sys.exit(f"{url.split('?')[0]} answered {refusal.code}: {refusal.read(500).decode(errors='replace')}")


class Halyard:
    def __init__(self):
        self.url, self.key = setting("HALYARD_URL"), setting("HALYARD_KEY")

    def ask(self, flags, user):
        """Value and variant of each flag; a flag that is unknown has none."""
        context = {**user.get("attributes", {}), "targetingKey": user["key"]}
        answers = call(f"{self.url}/ofrep/v1/evaluate/flags", {"X-API-Key": self.key}, {"context": context})
        return {answer["key"]: (answer.get("value"), answer["variant"]) for answer in answers["flags"]}


class Unleash:
    """The frontend API lists what is on for a context, with variants."""

    FIELDS = ("sessionId", "remoteAddress", "environment", "appName", "currentTime")

    def __init__(self):
        self.url, self.key = setting("UNLEASH_URL"), setting("UNLEASH_KEY")

    def ask(self, flags, user):
        query = {"userId": user["key"]}
        for name, value in user.get("attributes", {}).items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            query[name if name in self.FIELDS else f"properties[{name}]"] = text
        found = call(f"{self.url}/api/frontend?{urllib.parse.urlencode(query)}", {"Authorization": self.key})
        on = {toggle["name"]: toggle.get("variant") or {} for toggle in found["toggles"]}
        return {flag: self.answer(on.get(flag)) for flag in flags}

    @staticmethod
    def answer(variant):
        if variant is None:
            return OFF, None
        if not variant.get("enabled"):
            return True, None
        payload = variant.get("payload")
        if not payload:
            return True, variant["name"]
        is_text = payload["type"] in ("string", "csv")
        return payload["value"] if is_text else json.loads(payload["value"]), variant["name"]


class LaunchDarkly:
    """The server SDK, which evaluates here."""

    def __init__(self):
        from ldclient import Context
        from ldclient.client import LDClient
        from ldclient.config import Config
        from ldclient.integrations import Files

        self.context = Context
        file = os.environ.get("LAUNCHDARKLY_FILE")
        if file:
            source = Files.new_data_source(paths=[file])
            config = Config("offline", update_processor_class=source, send_events=False, diagnostic_opt_out=True)
        else:
            config = Config(setting("LAUNCHDARKLY_KEY"), send_events=False, diagnostic_opt_out=True)
        self.client = LDClient(config)
        if not self.client.is_initialized():
            sys.exit("LaunchDarkly does not answer")

    def ask(self, flags, user):
        builder = self.context.builder(user["key"])
        for name, value in user.get("attributes", {}).items():
            builder.set(name, value)
        context = builder.build()
        details = {flag: self.client.variation_detail(flag, context, None) for flag in flags}
        return {flag: (detail.value, None) for flag, detail in details.items() if not detail.is_default_value()}


class Flagsmith:
    """The flags of an identity that is not stored."""

    def __init__(self):
        self.url, self.key = setting("FLAGSMITH_URL"), setting("FLAGSMITH_KEY")

    def ask(self, flags, user):
        attributes = user.get("attributes", {}).items()
        traits = [{"trait_key": name, "trait_value": value, "transient": True} for name, value in attributes]
        body = {"identifier": user["key"], "traits": traits, "transient": True}
        found = call(f"{self.url}/identities/", {"X-Environment-Key": self.key}, body)
        states = {state["feature"]["name"]: state for state in found["flags"]}
        return {flag: self.answer(states[flag]) for flag in flags if flag in states}

    @staticmethod
    def answer(state):
        is_toggle = state["feature_state_value"] in (None, "")
        return (state["enabled"] if is_toggle else state["feature_state_value"]), None


# Unleash has no value for a flag that is off; Halyard serves its default.
OFF = object()


def is_same(theirs, ours):
    """A platform that has no name for a variant has nothing to compare."""
    if ours is None:
        return False
    (value, variant), (here, named) = theirs, ours
    if value is OFF:
        return here in (False, "", 0, {}, None)
    is_equal = value == here and isinstance(value, bool) == isinstance(here, bool)
    return is_equal and (variant is None or variant == named)


def shown(answer):
    if answer is None:
        return None
    value, variant = answer
    return {"value": None if value is OFF else value, "variant": variant}


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip()]


def main():
    platforms = {"unleash": Unleash, "launchdarkly": LaunchDarkly, "flagsmith": Flagsmith}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("platform", choices=platforms)
    parser.add_argument("--flags", required=True)
    parser.add_argument("--users", required=True)
    parser.add_argument("--all", action="store_true", help="print equal answers too")
    asked = parser.parse_args()
    flags, users = lines(asked.flags), [json.loads(line) for line in lines(asked.users)]
    there, here = platforms[asked.platform](), Halyard()
    compared = differ = 0
    for user in users:
        theirs, ours = there.ask(flags, user), here.ask(flags, user)
        for flag, answer in theirs.items():
            compared += 1
            same = is_same(answer, ours.get(flag))
            differ += not same
            if asked.all or not same:
                print(json.dumps({"flag": flag, "user": user["key"], "same": same, "there": shown(answer), "here": shown(ours.get(flag))}))
    print(json.dumps({"compared": compared, "differ": differ}))
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
