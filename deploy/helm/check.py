"""Checks what the chart makes: schemas of Kubernetes, pod security, names that refer to each other, settings; and that wrong values
are refused."""

import json
import re
import tempfile
import unittest

import kubernetes_validate
import yaml
from helm_python import HelmError, lint

from chart import CHART, DEFAULTS, EVERYTHING, ROOT, SETS, containers, loaded, manifests, merged, pods, render, settings

# Kinds of others: where what is rendered lies, and the fields that their published schemas know of it.
OTHERS = {
    "HTTPRoute": {"parentRefs", "hostnames", "rules"},
    "Certificate": {"secretName", "issuerRef", "dnsNames"},
    "PodMonitor": {"selector", "podMetricsEndpoints"},
    "PrometheusRule": {"groups"},
}
REFUSED = [
    ({"replicas": 3}, "replicas"),
    ({"edge": {"kind": "DaemonSet"}}, "edge"),
    ({"edge": {"replicas": 0}}, "edge"),
    ({"edge": {"identity": "fra-1"}}, "edge"),
    ({"edge": {"upstream": "flags.example.com"}}, "edge"),
    ({"edge": {"autoscaling": {"target": "60"}}}, "edge"),
    ({"control": {"env": {"APP_SECRET": "x"}}}, "APP_SECRET"),
    ({"control": {"env": {"mail-from": "x"}}}, "mail-from"),
    ({"control": {"link": {"type": "ExternalName"}}}, "control"),
    ({"gateway": {"enabled": True}}, "gateway"),
    ({"hosts": {"edge": "https://flags.example.com"}}, "hosts"),
    ({"shutdownDelay": "10s"}, "shutdownDelay"),
    ({"networkPolicy": {"links": [{}]}}, "networkPolicy"),
]


class TheChart(unittest.TestCase):
    def every_set(self):
        for name, values in SETS.items():
            with self.subTest(name):
                yield values, manifests(values)

    def test_is_clean(self):
        with tempfile.TemporaryDirectory() as folder:
            packed = loaded().save_dir(folder)
            for name, values in SETS.items():
                report = lint(packed, values, strict=True)
                self.assertEqual((report["messages"], report["errors"]), ([], []), name)

    def test_makes_what_the_schemas_of_kubernetes_allow(self):
        for _, documents in self.every_set():
            for one in documents:
                if one["kind"] in OTHERS:
                    self.assertEqual(set(one["spec"]) - OTHERS[one["kind"]], set())
                else:
                    kubernetes_validate.validate(one, "1.37", strict=True)

    def test_names_every_object_once(self):
        for _, documents in self.every_set():
            names = [(one["kind"], one["metadata"]["name"]) for one in documents]
            self.assertEqual(len(names), len(set(names)), names)

    def test_keeps_to_the_restricted_profile_of_pod_security(self):
        for _, documents in self.every_set():
            for name, pod in pods(documents):
                spec = pod["spec"]
                self.assertIs(spec["automountServiceAccountToken"], False, name)
                self.assertIs(spec["securityContext"]["runAsNonRoot"], True, name)
                self.assertEqual(spec["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"}, name)
                self.assertTrue(all({"name", "emptyDir", "secret"} >= set(one) for one in spec.get("volumes", [])), name)
                for container in containers(pod):
                    self.assertEqual(
                        container["securityContext"],
                        {
                            "allowPrivilegeEscalation": False,
                            "readOnlyRootFilesystem": True,
                            "capabilities": {"drop": ["ALL"]},
                        },
                    )

    def test_selects_pods_and_ports_that_are_there(self):
        for _, documents in self.every_set():
            templates = [pod for _, pod in pods(documents)]
            for one in documents:
                spec = one.get("spec", {})
                selector = spec.get("podSelector") or spec.get("selector")
                if one["kind"] == "HTTPRoute":
                    services = {ref["name"] for rule in spec["rules"] for ref in rule["backendRefs"]}
                    known = {other["metadata"]["name"] for other in documents if other["kind"] == "Service"}
                    self.assertLessEqual(services, known)
                if not selector:
                    continue
                labels = selector.get("matchLabels", selector)
                chosen = [pod for pod in templates if labels.items() <= pod["metadata"]["labels"].items()]
                self.assertTrue(chosen, one)
                ports = {
                    port["name"] for pod in chosen for each in containers(pod) for port in each.get("ports", [])
                }
                wanted = {port["targetPort"] for port in spec.get("ports", [])}
                for rule in spec.get("ingress", []):
                    wanted |= {port["port"] for port in rule["ports"]}
                self.assertLessEqual(wanted, ports, one)

    def test_gives_pods_more_time_to_stop_than_they_answer_on(self):
        for delay in (0, 10, 300):
            for name, pod in pods(manifests(merged(EVERYTHING, {"shutdownDelay": delay}))):
                for container in pod["spec"]["containers"]:
                    for one in container.get("env", []):
                        if one["name"] == "SHUTDOWN_DELAY":
                            self.assertEqual(one["value"], f"{delay}s")
                self.assertGreaterEqual(pod["spec"]["terminationGracePeriodSeconds"], delay + 15, name)

    def test_keeps_streams_alive(self):
        routes = [one for one in manifests(EVERYTHING) if one["kind"] == "HTTPRoute"]
        self.assertEqual(len(routes), 2)
        for one in routes:
            streams, rest = one["spec"]["rules"]
            self.assertEqual(streams["timeouts"], {"request": "0s", "backendRequest": "0s"})
            paths = {match["path"]["value"] for match in streams["matches"]}
            self.assertEqual(paths, {"/v1/stream", "/ofrep/v1/stream", "/v1/events"})
            self.assertNotEqual(rest["timeouts"]["request"], "0s")

    def test_sets_nothing_that_is_no_setting(self):
        control, edge = settings()
        for _, documents in self.every_set():
            for name, pod in pods(documents):
                for container in containers(pod):
                    known = edge if container["name"] == "halyard-edge" else control | {"NAME"}
                    names = {one["name"] for one in container.get("env", [])}
                    self.assertLessEqual(names, known, name)

    def test_passes_on_every_setting_that_is_no_secret(self):
        control, edge = settings()
        schema = json.loads((CHART / "values.schema.json").read_text())
        secret = re.compile(schema["definitions"]["env"]["propertyNames"]["not"]["pattern"])
        self.assertTrue({"DATABASE_URL", "APP_SECRET", "APP_SECRET_OLD", "JWT_SECRET", "SMTP_URL"} <= set(filter(secret.search, control)))
        for part, names in (("control", control), ("edge", edge), ("relay", edge)):
            values = {name: "x" for name in names if not secret.search(name)}
            documents = manifests(merged(EVERYTHING, {part: {"env": values}}))
            (pod,) = (pod for name, pod in pods(documents) if name.endswith(f"/demo-{part}"))
            env = {one["name"]: one["value"] for one in pod["spec"]["containers"][0]["env"]}
            self.assertEqual(env, values)

    def test_uses_every_value(self):
        everything = merged(DEFAULTS, EVERYTHING)
        before = render(everything)
        for path, value in leaves(everything):
            # With autoscaling there is no number of replicas; and without control planes a relay needs an upstream.
            if path not in (("edge", "replicas"), ("control", "enabled")):
                other = another(path, value)
                for key in reversed(path):
                    other = {key: other}
                if path[-1] == "identity":
                    other = merged(other, {"edge": {"replicas": 1, "autoscaling": {"enabled": False}}})
                self.assertTrue(render(merged(everything, other)) != before, f"{path} changes nothing")

    def test_brings_the_rules_and_dashboards_with_the_jobs_that_they_name(self):
        documents = {one["kind"]: one for one in manifests(EVERYTHING)}
        folder = ROOT / "deploy/observability"
        files = [yaml.safe_load((folder / f"prometheus/{name}.yaml").read_text()) for name in ("recording", "alerts")]
        self.assertEqual(documents["PrometheusRule"]["spec"]["groups"], files[0]["groups"] + files[1]["groups"])
        dashboards = {path.name: path.read_text() for path in (folder / "grafana/dashboards").glob("*.json")}
        self.assertEqual(documents["ConfigMap"]["data"], dashboards)
        (endpoint,) = documents["PodMonitor"]["spec"]["podMetricsEndpoints"]
        jobs = {one["replacement"] for one in endpoint["relabelings"]}
        example = yaml.safe_load((folder / "prometheus/prometheus.yaml").read_text())
        self.assertEqual(jobs, {one["job_name"] for one in example["scrape_configs"]})

    def test_refuses_wrong_values(self):
        for values, named in REFUSED:
            with self.subTest(values):
                with self.assertRaises(HelmError) as refusal:
                    render(merged(EVERYTHING if named != "gateway" else {}, values))
                self.assertIn(named, str(refusal.exception))

    def test_refuses_an_edge_without_a_control_plane(self):
        with self.assertRaisesRegex(HelmError, "no control plane or relay is part of this release"):
            render({"control": {"enabled": False}})

    def test_has_the_version_of_the_programs(self):
        version = re.search(r'(?m)^version = "(.*)"', (ROOT / "Cargo.toml").read_text())[1]
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
        self.assertEqual((chart["version"], chart["appVersion"]), (version, version))


def leaves(values, path=()):
    for key, value in values.items():
        if isinstance(value, dict) and key not in ("env", "resources", "labels", "annotations", "nodeSelector"):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key), value


def another(path, value):
    """A value that may be there as well."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, dict):
        return {"LOG_LEVEL": "debug"} if path[-1] == "env" else {"a": "other"}
    if isinstance(value, list):
        return {"pullSecrets": ["other"], "tolerations": [{"key": "a"}]}.get(path[-1], [{"name": "other"}])
    fixed = {
        "kind": "Deployment" if path[0] == "edge" else "Issuer",
        "type": "NodePort",
        "pullPolicy": "Always",
        "upstream": "other.example.com:1",
        "target": "700m",
        "size": "3Gi",
    }
    return fixed.get(path[-1], f"{value}other")


if __name__ == "__main__":
    unittest.main()
