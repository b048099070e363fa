"""Asks the library of gateway_redirect. Each line of stdin is a question in JSON, each line of stdout its answer."""

import importlib.metadata
import json
import sys

import stripe


def version(question):
    return {"library": f"stripe {importlib.metadata.version('stripe')}"}


def sign(question):
    header = stripe.WebhookSignature.generate_signature_header(
        question["payload"], question["secret"], question["timestamp"]
    )
    return {"header": header}


def event(question):
    # The tests have a clock of their own, so the time is not compared.
    parsed = stripe.Webhook.construct_event(question["payload"], question["header"], question["secret"], tolerance=0)
    return {"id": parsed.id, "type": parsed.type, "created": parsed.created, **described(parsed.data.object)}


def call(question):
    """Calls a server that behaves as the gateway, by the library's own client."""
    client = stripe.StripeClient(question["key"], base_addresses={"api": question["base"]}, max_network_retries=0)
    service = client.v1
    for name in question["service"].split("."):
        service = getattr(service, name)
    options = {"idempotency_key": question["idempotency_key"]} if "idempotency_key" in question else {}
    return described(service(*question["arguments"], **question.get("parameters", {}), options=options))


def described(parsed):
    """What the library understood, by its attributes and not by the JSON that it was given."""
    told = {"class": type(parsed).__name__, "object": parsed.object}
    if isinstance(parsed, stripe.checkout.Session):
        told |= attributes(parsed, "id url status payment_status customer customer_email client_reference_id subscription")
        told["metadata"] = parsed.metadata.to_dict()
        if isinstance(parsed.subscription, stripe.Subscription):
            told["subscription"] = described(parsed.subscription)
    elif isinstance(parsed, stripe.Subscription):
        # `items` is a method of what the library's objects are made of.
        item = parsed["items"].data[0]
        # Older versions of the API have the period at the top, which the library's types do not name any longer.
        dated = parsed if "current_period_end" in parsed else item
        told |= attributes(parsed, "id status customer cancel_at_period_end canceled_at ended_at")
        told |= attributes(dated, "current_period_start current_period_end")
        told["metadata"] = parsed.metadata.to_dict()
        told["price"] = item.price.id
    elif isinstance(parsed, stripe.Invoice):
        older = "subscription" in parsed
        told |= attributes(parsed, "id status customer amount_due currency")
        told["subscription"] = parsed.subscription if older else parsed.parent.subscription_details.subscription
        details = parsed.subscription_details if older else parsed.parent.subscription_details
        told["metadata"] = details.metadata.to_dict()
    elif isinstance(parsed, stripe.billing_portal.Session):
        told |= attributes(parsed, "id url customer return_url")
    return told


def attributes(parsed, names):
    return {name: getattr(parsed, name) for name in names.split()}


ANSWERS = {"version": version, "sign": sign, "event": event, "call": call}


def answer(question):
    try:
        return ANSWERS[question["ask"]](question)
    except (ValueError, stripe.StripeError) as error:
        refusal = {"refused": getattr(error, "user_message", None) or str(error), "class": type(error).__name__}
        if getattr(error, "code", None):
            refusal["code"] = error.code
        return refusal


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
