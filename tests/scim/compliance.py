"""Has scim2-tester check the service at HALYARD_SCIM_URL with the token HALYARD_SCIM_TOKEN. Prints the whole report, and as the
last line how many checks had which status."""

import json
import os
import sys
from collections import Counter

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server


def main():
    http = Client(
        base_url=os.environ["HALYARD_SCIM_URL"],
        headers={"Authorization": f"Bearer {os.environ['HALYARD_SCIM_TOKEN']}"},
        trust_env=False,
    )
    # Statuses and media types of answers are checked too.
    client = SyncSCIMClient(http, check_response_status_codes=True, check_response_content_type=True)
    results = check_server(client)
    for result in results:
        print(f"{result.status.name:10} {result.title}: {result.reason or ''}")
        if result.status.name not in ("SUCCESS", "SKIPPED") and result.data is not None:
            print(f"           {result.data}")
    print(json.dumps(Counter(result.status.name for result in results)))


if __name__ == "__main__":
    sys.exit(main())
