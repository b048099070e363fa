"""The chart as Helm's engine renders it, for several sets of values; and the settings of docs/settings.md."""

import copy
import functools
import re
from pathlib import Path

import yaml
from helm_python import Chart

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHART = HERE / "halyard"
DEFAULTS = yaml.safe_load((CHART / "values.yaml").read_text())
EVERYTHING = {
    "images": {"pullSecrets": ["registry"]},
    "control": {"link": {"type": "LoadBalancer"}},
    "edge": {"autoscaling": {"enabled": True}, "region": "eu", "storage": {"className": "fast"}},
    "relay": {"enabled": True, "storage": {"className": "fast"}},
    "gateway": {"enabled": True, "parentRefs": [{"name": "public", "namespace": "gateways"}]},
    "ingress": {"enabled": True, "className": "nginx", "annotations": {"a": "b"}},
    "certificate": {"enabled": True},
    "networkPolicy": {"links": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]},
    "monitoring": {"enabled": True, "labels": {"release": "prometheus"}},
}
SETS = {
    "default": {},
    "everything": EVERYTHING,
    "minimal": {"edge": {"enabled": False}, "networkPolicy": {"enabled": False}, "control": {"replicas": 1}},
    "pods that come and go": {"edge": {"kind": "Deployment", "autoscaling": {"enabled": True}}},
    "an edge elsewhere": {
        "control": {"enabled": False},
        "edge": {"identity": "fra-1", "replicas": 1, "upstream": "flags.example.com:8443"},
    },
    "a relay elsewhere": {"control": {"enabled": False}, "relay": {"enabled": True, "upstream": "flags.example.com:8443"}},
}


def merged(values, more):
    values = copy.deepcopy(values)
    for key, value in more.items():
        values[key] = merged(values[key], value) if isinstance(value, dict) and isinstance(values.get(key), dict) else value
    return values


def render(values):
    return loaded().render(values, name="demo", namespace="flags")


@functools.cache
def loaded():
    return Chart.load(CHART)


def manifests(values):
    texts = (text for path, text in render(values).items() if path.endswith(".yaml"))
    return [one for text in texts for one in yaml.safe_load_all(text) if one]


def pods(documents):
    """The template of every pod, by the kind and name of what makes it."""
    for one in documents:
        if one["kind"] == "Pod":
            yield one["metadata"]["name"], one
        elif template := one.get("spec", {}).get("template"):
            yield f"{one['kind']}/{one['metadata']['name']}", template


def containers(pod):
    return pod["spec"].get("initContainers", []) + pod["spec"]["containers"]


def settings():
    """The names in the tables of docs/settings.md, by the heading that they are below."""
    found = {}
    for section in (ROOT / "docs/settings.md").read_text().split("\n## ")[1:]:
        rows = re.findall(r"(?m)^\| (`.*?`) \|", section)
        found[section.split()[0]] = {name for row in rows for name in re.findall("[A-Z][A-Z_]+", row)}
    return found["Control"] | found["Both"], found["Edge"] | found["Both"]
