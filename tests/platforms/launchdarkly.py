"""LaunchDarkly's own server SDK and API client, asked by tests.

generate SEED FLAGS CONTEXTS   prints a random project, contexts, and what the SDK answers to them
evaluate                       reads a project and contexts, and prints what the SDK answers
client URL PROJECT KEY         reads a project by the official API client, and prints how much it found
"""

import json
import logging
import sys
import tempfile

import launchdarkly_api
from ldclient import Context
from ldclient.client import LDClient
from ldclient.config import Config
from ldclient.integrations import Files

import launchdarkly_projects


def flag_of(flag, config):
    """The form in which SDKs get a flag."""
    rules = [
        dict(rule, id=rule.get("_id", ""), rollout=rule.get("rollout"))
        for rule in config.get("rules") or []
        if not rule.get("disabled")
    ]
    for rule in rules:
        rule["clauses"] = [clause_of(clause) for clause in rule.get("clauses") or []]
    return {
        "key": flag["key"],
        "version": 1,
        "on": config.get("on", False),
        "salt": config.get("salt", ""),
        "variations": [variation.get("value") for variation in flag.get("variations") or []],
        "offVariation": config.get("offVariation"),
        "fallthrough": config.get("fallthrough") or {},
        "targets": config.get("targets") or [],
        "contextTargets": config.get("contextTargets") or [],
        "rules": rules,
        "prerequisites": config.get("prerequisites") or [],
    }


def clause_of(clause):
    return {
        "attribute": clause.get("attribute", ""),
        "op": clause["op"],
        "values": clause.get("values") or [],
        "negate": clause.get("negate", False),
        "contextKind": clause.get("contextKind"),
    }


def segment_of(segment):
    made = {
        name: segment.get(name) or []
        for name in ("included", "excluded", "includedContexts", "excludedContexts")
    }
    made["rules"] = [
        dict(rule, clauses=[clause_of(clause) for clause in rule.get("clauses") or []])
        for rule in segment.get("rules") or []
    ]
    return dict(
        made,
        key=segment["key"],
        version=1,
        salt=segment.get("salt", ""),
        unbounded=segment.get("unbounded", False),
        generation=segment.get("generation"),
    )


def context_of(context):
    builder = Context.builder(context["key"])
    for name, value in context.get("attributes", {}).items():
        builder.set(name, value)
    return builder.build()


def evaluate(project, contexts):
    """For each environment and flag, an answer for each context: `[value]`, or `[]` where the SDK has none."""
    asked = [context_of(context) for context in contexts]
    return {
        environment["key"]: in_environment(project, environment["key"], asked)
        for environment in project["environments"]
    }


def in_environment(project, environment, contexts):
    flags = {
        flag["key"]: flag_of(flag, flag["environments"][environment])
        for flag in project["flags"]
        if not flag.get("archived")
    }
    segments = {segment["key"]: segment_of(segment) for segment in project["segments"].get(environment, [])}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"flags": flags, "segments": segments}, file)
        file.flush()
        source = Files.new_data_source(paths=[file.name])
        client = LDClient(Config("offline", update_processor_class=source, send_events=False, diagnostic_opt_out=True))
    answers = {}
    for key in flags:
        details = (client.variation_detail(key, context, None) for context in contexts)
        answers[key] = [[] if detail.is_default_value() else [detail.value] for detail in details]
    client.close()
    return answers


def generate(seed, flags, contexts):
    generator = launchdarkly_projects.Generator(seed)
    project = generator.project(flags)
    contexts = generator.contexts(contexts)
    return {"project": project, "contexts": contexts, "answers": evaluate(project, contexts)}


def read_by_client(url, project, key):
    """What the official API client finds: it refuses answers of another form than is documented."""
    client = launchdarkly_api.ApiClient(launchdarkly_api.Configuration(host=url, api_key={"ApiKey": key}))
    found = launchdarkly_api.ProjectsApi(client).get_project(project, expand="environments")
    environments = launchdarkly_api.EnvironmentsApi(client).get_environments_by_project(project, limit=100)
    keys = [environment.key for environment in environments.items]
    api = launchdarkly_api.FeatureFlagsApi(client)
    flags = []
    while True:
        page = api.get_feature_flags(project, env=keys[0], summary=False, limit=100, offset=len(flags))
        flags += page.items
        if not page.items or len(flags) >= page.total_count:
            break
    segments = [
        segment
        for key in keys
        for segment in launchdarkly_api.SegmentsApi(client).get_segments(project, key, limit=50).items
    ]
    rules = sum(len(config.rules or []) for flag in flags for config in (flag.environments or {}).values())
    return {
        "project": found.key,
        "environments": keys,
        "flags": len(flags),
        "rules": rules,
        "segments": len(segments),
    }


def main():
    logging.disable(logging.CRITICAL)
    mode, *arguments = sys.argv[1:]
    if mode == "generate":
        found = generate(*(int(argument) for argument in arguments))
    elif mode == "client":
        found = read_by_client(*arguments)
    elif mode == "evaluate":
        asked = json.load(sys.stdin)
        found = evaluate(asked["project"], asked["contexts"])
    else:
        sys.exit(__doc__)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
