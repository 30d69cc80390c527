"""The connection to a service: keys, time limits, retries and errors."""

import asyncio
import time

import httpx

from fairlead import __version__
from fairlead.errors import FairleadError, is_json, media_type, retry_after
from fairlead.rest import Client

# The operations that take the cron secret.
_SCHEDULED = (
    "/api/observations/round",
    "/api/publisher/tick",
    "/api/reputation/reconcile",
    "/api/reputation/refresh",
)

_MAX_ERROR_BYTES = 1 << 20


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

    They return the value of a success and raise FairleadError for every other answer, so for a 304 too, which answers an
    If-None-Match. A GET that is answered 429 or 503
    is sent again as its Retry-After says, `max_retries` times at most, unless it asks for more than `max_wait` seconds.
    `timeout` in seconds holds for connecting, for each wait for a part of the answer, and for the whole of an attempt as
    parts arrive. The keys are sent with the operations that take them and with no others. An Accept that a request of
    `get_httpx_client()` names is kept.
    """
    agent = ("%s fairlead-python/%s" % (user_agent, __version__)).strip()
    patient = PatientTransport(transport, timeout, max_retries, max_wait, admin_key, cron_secret)
    return Client(
        base_url=base_url.rstrip("/"),
        timeout=httpx.Timeout(timeout),
        headers={"User-Agent": agent, "Accept": "application/json"},
        httpx_args={"transport": patient},
    )


class PatientTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Adds keys, waits out what the service asks to wait, and raises errors."""

    def __init__(self, transport, timeout, max_retries, max_wait, admin_key, cron_secret):
        self._given = transport
        self._sync = None
        self._async = None
        self._timeout = timeout
        self._max_retries = max(0, max_retries)
        self._max_wait = max_wait
        self._admin_key = admin_key
        self._cron_secret = cron_secret

    def handle_request(self, request):
        if self._sync is None:
            self._sync = self._given or httpx.HTTPTransport()
        self._add_keys(request)
        for attempt in range(self._max_retries + 1):
            ends = time.monotonic() + self._timeout
            response = self._sync.handle_request(request)
            response.stream = _Bounded(response.stream, ends, request)
            if _is_success(request, response):
                break
            body = b""
            for part in response.iter_bytes():
                body += part
                if len(body) >= _MAX_ERROR_BYTES:
                    break
            response.close()
            time.sleep(self._wait(request, response, body, attempt))
        return response

    async def handle_async_request(self, request):
        if self._async is None:
            self._async = self._given or httpx.AsyncHTTPTransport()
        self._add_keys(request)
        for attempt in range(self._max_retries + 1):
            ends = time.monotonic() + self._timeout
            response = await self._async.handle_async_request(request)
            response.stream = _Bounded(response.stream, ends, request)
            if _is_success(request, response):
                break
            body = b""
            async for part in response.aiter_bytes():
                body += part
                if len(body) >= _MAX_ERROR_BYTES:
                    break
            await response.aclose()
            await asyncio.sleep(self._wait(request, response, body, attempt))
        return response

    def _add_keys(self, request):
        path = request.url.path
        if self._admin_key and "/api/admin/" in path:
            request.headers["X-Admin-Key"] = self._admin_key
        if self._cron_secret and request.method == "POST" and path.endswith(_SCHEDULED):
            request.headers["Authorization"] = "Bearer " + self._cron_secret

    def _wait(self, request, response, body, attempt):
        """Seconds until the request may be sent again; raises where it may not."""
        wait = retry_after(response.headers)
        asked = response.status_code in (429, 503) and request.method == "GET" and wait is not None
        if not asked or attempt == self._max_retries or wait > self._max_wait:
            raise FairleadError(response.status_code, response.headers, body[:_MAX_ERROR_BYTES])
        return wait

    def close(self):
        if self._sync is not None:
            self._sync.close()

    async def aclose(self):
        if self._async is not None:
            await self._async.aclose()


class _Bounded(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of an answer, which must have arrived by a point in time."""

    def __init__(self, stream, ends, request):
        self._stream = stream
        self._ends = ends
        self._request = request

    def _check(self):
        if time.monotonic() > self._ends:
            raise httpx.ReadTimeout("the answer took longer than the timeout", request=self._request)

    def __iter__(self):
        for part in self._stream:
            self._check()
            yield part

    async def __aiter__(self):
        async for part in self._stream:
            self._check()
            yield part

    def close(self):
        self._stream.close()

    async def aclose(self):
        await self._stream.aclose()


def _is_success(request, response):
    """In JSON, or in the form that the request has asked for: the rate history has two more."""
    asked = [media_type(one) for one in request.headers.get("Accept", "").split(",")]
    known = is_json(response.headers) or media_type(response.headers.get("Content-Type", "")) in asked
    return response.is_success and known
