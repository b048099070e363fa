"""A flag's life by a client that was generated for Python. `./dev openapi` sets the address and runs it."""

import os
import time

from halyard_client import AuthenticatedClient, Client, models
from halyard_client.api.accounts import log_in, register_account
from halyard_client.api.api_keys import create_api_key
from halyard_client.api.environments import create_environment
from halyard_client.api.evaluation import evaluate_flag, list_client_flags
from halyard_client.api.flags import (
    create_flag,
    delete_flag,
    explain_flag,
    get_flag,
    list_flags,
    update_flag_state,
)
from halyard_client.api.projects import create_project, delete_project

URL = os.environ["HALYARD_URL"]


def told(answer, kind):
    """The body of a success of this kind."""
    assert isinstance(answer.parsed, kind), f"{answer.status_code}: {answer.content!r}"
    return answer.parsed


anybody = Client(base_url=URL)
email = f"python-{time.time_ns()}@openapi.test"
password = "Correct-Horse-Battery-7"

account = told(
    register_account.sync_detailed(
        client=anybody,
        body=models.Registration(email=email, password=password, name="Ada", org_name="Python"),
    ),
    models.RegisteredAccount,
)
signed_in = told(
    log_in.sync_detailed(client=anybody, body=models.LoginRequest(email=email, password=password)), models.SignedIn
)
assert signed_in.user.id == account.user.id

owner = AuthenticatedClient(base_url=URL, token=signed_in.tokens.access_token)
project = told(create_project.sync_detailed(client=owner, body=models.NewProject(name="Shop")), models.Project)
environment = told(
    create_environment.sync_detailed(project.id, client=owner, body=models.NewEnvironment(name="Production")),
    models.Environment,
)
flag = told(
    create_flag.sync_detailed(
        project.id,
        client=owner,
        body=models.NewFlag(key="new-checkout", name="New checkout", flag_type=models.FlagType.BOOLEAN),
    ),
    models.Flag,
)
page = told(list_flags.sync_detailed(project.id, client=owner, limit=10), models.FlagItemPage)
assert [one.key for one in page.data] == [flag.key]

key = told(
    create_api_key.sync_detailed(environment.id, client=owner, body=models.NewApiKey(name="backend")),
    models.CreatedApiKey,
)

condition = models.ConditionInput(attribute="country", operator="eq", values=["NL"])
rule = models.TargetingRuleInput(id="netherlands", conditions=[condition], value=True)
written = update_flag_state.sync_detailed(
    project.id, flag.key, environment.id, client=owner, body=models.StatePatch(enabled=True, rules=[rule])
)
state = told(written, models.FlagState)
assert state.enabled and state.rules[0].match_type == models.MatchType.ALL
assert int(written.headers["X-Snapshot-Version"]) > 0

application = AuthenticatedClient(base_url=URL, token=key.key, prefix="", auth_header_name="X-API-Key")
context = models.EvaluationContext.from_dict({"key": "user-1", "attributes": {"country": "NL"}})
evaluated = told(
    evaluate_flag.sync_detailed(
        client=application, body=models.EvaluateRequest(flag_key=flag.key, context=context)
    ),
    models.Evaluated,
)
assert (evaluated.value, evaluated.reason) == (True, models.EvaluationReason.TARGETED)
values = list_client_flags.sync_detailed(environment.slug, client=application, key="user-1")
assert values.status_code == 200, values.content
assert values.parsed.to_dict() == {flag.key: False}

explained = told(
    explain_flag.sync_detailed(
        client=owner,
        body=models.ExplainRequest(
            project_id=str(project.id),
            env_id=str(environment.id),
            flag_key=flag.key,
            context=models.ExplainContext.from_dict(context.to_dict()),
        ),
    ),
    models.Explanation,
)
assert (explained.result.value, explained.rule_id) == (True, rule.id)

deleted = delete_flag.sync_detailed(project.id, flag.key, client=owner)
assert deleted.status_code == 204, deleted.content
gone = get_flag.sync_detailed(project.id, flag.key, client=owner)
assert gone.status_code == 404 and gone.parsed.error == "flag not found"
removed = delete_project.sync_detailed(project.id, client=owner)
assert removed.status_code == 204, removed.content
print("Python: a flag was made, changed, evaluated, explained and deleted")
