"""The connection to a service: keys, time limits, retries and errors."""

import asyncio
import time

import httpx

from fairlead import __version__
from fairlead.errors import FairleadError, is_json, retry_after
from fairlead.rest import Client

# The operations that take the cron secret.
_SCHEDULED = (
    "/api/observations/round",
    "/api/publisher/tick",
    "/api/reputation/reconcile",
    "/api/reputation/refresh",
)


def connect(
    base_url,
    *,
    timeout=15.0,
    max_retries=2,
    max_wait=10.0,
    user_agent="",
    admin_key=None,
    cron_secret=None,
    transport=None,
):
    """A client for the functions of `fairlead.rest.api`, in both their forms.

    They return the value of a success and raise FairleadError for every other answer. A GET that is answered 429 or 503
    is sent again as its Retry-After says, `max_retries` times at most, unless it asks for more than `max_wait` seconds.
    `timeout` holds for one attempt, in seconds. The keys are sent with the operations that take them and with no others.
    """
    agent = ("%s fairlead-python/%s" % (user_agent, __version__)).strip()
    patient = PatientTransport(transport, max_retries, max_wait, admin_key, cron_secret)
    return Client(
        base_url=base_url.rstrip("/"),
        timeout=httpx.Timeout(timeout),
        headers={"User-Agent": agent, "Accept": "application/json"},
        httpx_args={"transport": patient},
    )


class PatientTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Adds keys, waits out what the service asks to wait, and raises errors."""

    def __init__(self, transport, max_retries, max_wait, admin_key, cron_secret):
        self._given = transport
        self._sync = None
        self._async = None
        self._max_retries = max_retries
        self._max_wait = max_wait
        self._admin_key = admin_key
        self._cron_secret = cron_secret

    def handle_request(self, request):
        if self._sync is None:
            self._sync = self._given or httpx.HTTPTransport()
        self._add_keys(request)
        for attempt in range(self._max_retries + 1):
            response = self._sync.handle_request(request)
            if _is_success(response):
                break
            response.read()
            response.close()
            time.sleep(self._wait(request, response, attempt))
        return response

    async def handle_async_request(self, request):
        if self._async is None:
            self._async = self._given or httpx.AsyncHTTPTransport()
        self._add_keys(request)
        for attempt in range(self._max_retries + 1):
            response = await self._async.handle_async_request(request)
            if _is_success(response):
                break
            await response.aread()
            await response.aclose()
            await asyncio.sleep(self._wait(request, response, attempt))
        return response

    def _add_keys(self, request):
        path = request.url.path
        if self._admin_key and "/api/admin/" in path:
            request.headers["X-Admin-Key"] = self._admin_key
        if self._cron_secret and request.method == "POST" and path.endswith(_SCHEDULED):
            request.headers["Authorization"] = "Bearer " + self._cron_secret

    def _wait(self, request, response, attempt):
        """Seconds until the request may be sent again; raises where it may not."""
        wait = retry_after(response.headers)
        asked = response.status_code in (429, 503) and request.method == "GET" and wait is not None
        if not asked or attempt == self._max_retries or wait > self._max_wait:
            raise FairleadError(response.status_code, response.headers, response.content)
        return wait

    def close(self):
        if self._sync is not None:
            self._sync.close()

    async def aclose(self):
        if self._async is not None:
            await self._async.aclose()


def _is_success(response):
    if response.status_code == 304:
        return True
    return response.is_success and is_json(response.headers)
