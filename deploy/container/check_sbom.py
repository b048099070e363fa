"""Whether the SBOMs of our programs keep the schema of CycloneDX."""

import subprocess
import sys
import tempfile
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

for program in ("halyard", "halyard-edge", "halyardctl"):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([Path(__file__).with_name("sbom.py"), program, folder], check=True)
        sbom = Path(folder, "sbom.cdx.json").read_text()
    if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(sbom):
        sys.exit(f"the SBOM of {program}: {error}")
