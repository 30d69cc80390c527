"""Supplies what schemathesis cannot know: client addresses and existing names."""

import itertools
import re

import schemathesis

clients = itertools.count()

# Well-formed values are replaced by values that the service knows, so that requests get past the lookup. Malformed
# values stay; None removes a member for which few values would be accepted.
known = {
    "corridor": (r"[A-Za-z0-9]{1,12}-[A-Za-z]{3}(-[A-Za-z]{2})?", "usdc-ngn"),
    "anchor": (r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*", "harbour"),
    "anchorId": (r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*", "harbour"),
    "account": (r"G[A-Z2-7]{55}|[0-9a-fA-F]{64}", "GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L"),
    "sellAmount": (r"(?=.*[1-9])(0|[1-9]\d{0,11})(\.\d{1,7})?", "100"),
    "amount": (r"(?=.*[1-9])(0|[1-9]\d{0,11})(\.\d{1,7})?", "100"),
    "minReceive": (r"(0|[1-9]\d{0,11})(\.\d{1,3})?", "1"),
    "deliveryMethod": (r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}", None),
    "expiresAt": (r"\d{4}-\d\d-\d\dT.*", None),
    "sequence": (r"[1-9]\d{0,14}", "1"),
    "url": (r"https?://[^\s\\]+", "https://receiver.example/hook"),
}


def with_known(values):
    if not isinstance(values, dict):
        return values
    result = dict(values)
    for name, (form, value) in known.items():
        given = result.get(name)
        if not isinstance(given, str) or len(given) > 128 or not re.fullmatch(form, given, re.ASCII):
            continue
        if value is None:
            del result[name]
        else:
            result[name] = value
    return result


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    return with_known(path_parameters)


@schemathesis.hook
def map_query(context, query):
    return with_known(query)


@schemathesis.hook
def map_body(context, body):
    return with_known(body)


@schemathesis.hook
def before_call(context, case, **kwargs):
    """Sends each request as another client: limits have tests of their own, and would end this run."""
    number = next(clients)
    case.headers = case.headers or {}
    case.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
