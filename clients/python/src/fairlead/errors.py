"""Answers of the service that are not a success."""

import json
import math
import re
import time
from email.utils import parsedate_to_datetime

from fairlead.codes import Code


class FairleadError(Exception):
    """An error of the service; tell them apart by `code`.

    status: the HTTP status.
    code: one of `fairlead.codes.Code`, the text of a code that a newer service has, or None where the answer is not the
        service's, such as an error page of a proxy.
    message: for people.
    details: the faults of a request that is INVALID_REQUEST, each with `path` and `message`.
    retry_after: seconds that the service asks to wait, or None.
    request_id: finds the request in the service's log.
    body: the answer as bytes, a mebibyte at most: some codes have members of their own (docs/errors.md).
    """

    def __init__(self, status, headers, body):
        said = _said(headers, body)
        self.status = status
        self.code = _code(said.get("code"))
        self.message = str(said.get("message", "unexpected answer"))
        self.details = said.get("details", [])
        self.retry_after = retry_after(headers)
        self.request_id = headers.get("X-Request-Id")
        self.body = body
        self._headers = headers
        name = self.code.value if isinstance(self.code, Code) else self.code
        super().__init__("%s (%d): %s" % (name or "no code", status, self.message))

    def __reduce__(self):
        """Made again from what it was made of, so that a process pool can hand it over."""
        return FairleadError, (self.status, self._headers, self.body)


def media_type(text):
    return text.split(";")[0].strip().lower()


def is_json(headers):
    return media_type(headers.get("Content-Type", "")) == "application/json"


def retry_after(headers, now=None):
    """Whole seconds, the one form that the service writes; None without it.

    Proxies may write a fraction, which is rounded up, or an HTTP date, of which a past one gives 0.
    """
    text = headers.get("Retry-After", "")
    if re.fullmatch(r"[0-9]{1,12}(\.[0-9]+)?", text):
        return math.ceil(float(text))
    if not re.fullmatch(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", text, re.ASCII):
        return None
    try:
        until = parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0, math.ceil(until - (time.time() if now is None else now)))


def _said(headers, body):
    try:
        said = json.loads(body) if is_json(headers) else {}
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _code(text):
    try:
        return Code(text)
    except ValueError:
        return text
