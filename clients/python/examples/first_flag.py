"""Asks for a flag: HALYARD_API_KEY=srv_… python first_flag.py https://edge.example.com new-checkout"""

import os
import sys

edge, flag = sys.argv[1:]
key = os.environ["HALYARD_API_KEY"]

# In the README from here …
import halyard

with halyard.Client(key, edge) as client:
    user = halyard.Context("user-1", plan="pro")
    if client.boolean(flag, user, False):
        print(flag, "is on")
# … to here.
