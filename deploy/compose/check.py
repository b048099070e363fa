"""What the schema of compose.yaml cannot say: that its settings, files, volumes and variables exist."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "helm"))
import chart  # noqa: E402

TEXT = (HERE / "compose.yaml").read_text()
SERVICES = yaml.safe_load(TEXT)["services"]


class Compose(unittest.TestCase):
    def test_sets_nothing_that_is_no_setting(self):
        control, edge = chart.settings()
        for name, service in SERVICES.items():
            program = service["image"].split(":")[0]
            if program.startswith("halyard"):
                self.assertLessEqual(set(service["environment"]), edge if program == "halyard-edge" else control, name)

    def test_takes_exactly_the_variables_that_env_sh_makes(self):
        made = subprocess.run([HERE / "env.sh"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(set(re.findall(r"\$\{(\w+)", TEXT)), set(re.findall(r"(?m)^(\w+)=.", made)))
        again = subprocess.run([HERE / "env.sh"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertNotEqual(made, again)
        version = re.search(r'(?m)^version = "(.*)"', (chart.ROOT / "Cargo.toml").read_text())[1]
        self.assertIn(f"VERSION={version}\n", made)

    def test_mounts_files_that_exist_and_folders_that_programs_write_to(self):
        volumes = yaml.safe_load(TEXT)["volumes"]
        for name, service in SERVICES.items():
            for mount in service.get("volumes", []):
                source, _, rest = mount.partition(":")
                if source.startswith("."):
                    self.assertTrue((HERE / source).exists(), mount)
                    self.assertTrue(rest.endswith(":ro"), mount)
                else:
                    self.assertIn(source, volumes, name)

    def test_holds_every_service_to_the_same_limits(self):
        for name, service in SERVICES.items():
            self.assertIs(service["read_only"], True, name)
            self.assertEqual(service["cap_drop"], ["ALL"], name)
            self.assertEqual(service["security_opt"], ["no-new-privileges:true"], name)

    def test_no_admin_port_leaves_the_machine(self):
        published = {port for service in SERVICES.values() for port in service.get("ports", [])}
        self.assertEqual(published, {"80:80", "443:443", "127.0.0.1:3000:3000"})

    def test_prometheus_scrapes_every_process_by_the_names_that_rules_use(self):
        jobs = {
            one["job_name"]: {target for group in one["static_configs"] for target in group["targets"]}
            for one in yaml.safe_load((HERE / "prometheus.yaml").read_text())["scrape_configs"]
        }
        expected = {"halyard": set(), "halyard-edge": set()}
        for name, service in SERVICES.items():
            if "command" not in service and (program := service["image"].split(":")[0]) in expected:
                expected[program].add(f"{name}:{9090 if program == 'halyard' else 9091}")
        self.assertEqual(jobs, expected)


if __name__ == "__main__":
    unittest.main()
