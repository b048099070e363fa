import os

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

api.set_provider(
    OFREPProvider(
        os.environ["HALYARD_EDGE_URL"],
        headers_factory=lambda: {"X-API-Key": os.environ["HALYARD_API_KEY"]},
    )
)
flags = api.get_client()

# Asks the edge each time: about one user, with whatever rules may look at.
user = EvaluationContext("user-1", {"email": "ada@acme.test", "country": "NL"})
is_new = flags.get_boolean_value("new-checkout", False, user)
print("the new checkout" if is_new else "the old checkout")
