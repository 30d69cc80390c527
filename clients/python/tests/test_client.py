import asyncio
import json
import pickle
import unittest
from datetime import datetime, timezone
from pathlib import Path

import httpx

from fairlead.client import connect
from fairlead.codes import Code
from fairlead.errors import FairleadError, retry_after
from fairlead.rest.api.corridors import list_corridors
from fairlead.rest.api.intents import create_intent
from fairlead.rest.models import CreateIntentBody, QuoteTier

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "openapi.client.json"
PAGE = httpx.Response(200, json={"items": [], "nextCursor": None})


def limited(seconds):
    body = {"code": "RATE_LIMITED", "message": "wait", "retryAfter": 1}
    return httpx.Response(429, json=body, headers={"Retry-After": seconds})


def scripted(*answers, **options):
    """A client whose service gives these answers, the last one for ever; and the list of what it was asked."""
    asked = []

    def answer(request):
        asked.append(request)
        given = answers[min(len(asked), len(answers)) - 1]
        return httpx.Response(given.status_code, headers=given.headers, content=given.content)

    return connect("http://service/", transport=httpx.MockTransport(answer), **options), asked


class ConnectTest(unittest.TestCase):
    def test_waits_out_a_limit(self):
        client, asked = scripted(limited("0"), limited("1"), PAGE, user_agent="wallet/1.0")
        self.assertEqual(list_corridors.sync(client=client).items, [])
        self.assertEqual(len(asked), 3)
        self.assertRegex(asked[0].headers["User-Agent"], r"^wallet/1\.0 fairlead-python/\d")

    def test_waits_out_a_limit_in_an_event_loop(self):
        client, asked = scripted(limited("0"), PAGE)
        self.assertEqual(asyncio.run(list_corridors.asyncio(client=client)).items, [])
        self.assertEqual(len(asked), 2)

    def test_raises_a_limit_that_is_too_long_or_of_a_post(self):
        for seconds in ("11", "soon", ""):
            client, asked = scripted(limited(seconds))
            with self.assertRaises(FairleadError) as raised:
                list_corridors.sync(client=client)
            self.assertEqual((raised.exception.code, raised.exception.status), (Code.RATE_LIMITED, 429))
            self.assertEqual(len(asked), 1)
            self.assertEqual(pickle.loads(pickle.dumps(raised.exception)).code, Code.RATE_LIMITED)
        client, asked = scripted(limited("0"))
        with self.assertRaises(FairleadError):
            create_intent.sync(client=client, body=CreateIntentBody("c", "a", "G", "1", "n"))
        self.assertEqual(len(asked), 1)
        with self.assertRaises(FairleadError):
            list_corridors.sync(client=client)
        self.assertEqual(len(asked), 4)

    def test_reads_retry_after_as_the_typescript_client(self):
        now = datetime(1994, 11, 6, 8, 49, 30, 500_000, timezone.utc).timestamp()
        read = {"0": 0, "7": 7, "1.5": 2, "0.0": 0, "2.000": 2, "999999999999": 999999999999}
        read |= {"Sun, 06 Nov 1994 08:49:37 GMT": 7, "Sun, 06 Nov 1994 07:00:00 GMT": 0}
        for text in ("", "-1", "+1", "1.", ".5", "1e1", " 1", "soon", "1000000000000", "\u0661", "1\n"):
            read[text] = None
        for text in ("Sun, 6 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"):
            read[text] = None
        for text in ("Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Xyz 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT"):
            read[text] = None
        for text, seconds in read.items():
            self.assertEqual(retry_after({"Retry-After": text}, now), seconds, text)
        self.assertIsNone(retry_after({}))

    def test_does_not_repeat_where_it_may_not(self):
        client, asked = scripted(limited("0"), max_retries=-1)
        with self.assertRaises(FairleadError):
            list_corridors.sync(client=client)
        self.assertEqual(len(asked), 1)

    def test_raises_an_answer_that_has_not_changed(self):
        client, _ = scripted(httpx.Response(304, headers={"ETag": '"a"'}))
        with self.assertRaises(FairleadError) as raised:
            list_corridors.sync(client=client, if_none_match='"a"')
        self.assertEqual((raised.exception.status, raised.exception.code), (304, None))

    def test_gives_another_form_to_who_asked_for_it(self):
        rows = httpx.Response(200, headers={"Content-Type": "text/csv; charset=utf-8"}, content=b"at,rate")
        client, asked = scripted(rows)
        path = "/api/rates/usdc-ngn/history"
        answer = client.get_httpx_client().get(path, headers={"Accept": "text/csv"})
        self.assertEqual((answer.text, asked[0].headers["Accept"]), ("at,rate", "text/csv"))
        with self.assertRaises(FairleadError):
            client.get_httpx_client().get(path)

    def test_bounds_what_it_reads_of_an_error(self):
        client, _ = scripted(httpx.Response(502, content=b"x" * (3 << 20)))
        with self.assertRaises(FairleadError) as raised:
            list_corridors.sync(client=client)
        self.assertEqual(len(raised.exception.body), 1 << 20)

    def test_ends_an_answer_that_never_ends(self):
        class Endless(httpx.SyncByteStream, httpx.AsyncByteStream):
            def __iter__(self):
                while True:
                    yield b" "

            async def __aiter__(self):
                while True:
                    yield b" "

        for status in (200, 502):
            def answer(_):
                return httpx.Response(status, headers={"Content-Type": "application/json"}, stream=Endless())

            client = connect("http://service", transport=httpx.MockTransport(answer), timeout=0.05)
            with self.assertRaises(httpx.ReadTimeout):
                list_corridors.sync(client=client)
            with self.assertRaises(httpx.ReadTimeout):
                asyncio.run(list_corridors.asyncio(client=client))

    def test_raises_what_is_not_the_services_answer(self):
        for status, media in ((200, "text/html"), (502, "text/html"), (302, "text/html"), (500, "application/json")):
            client, _ = scripted(httpx.Response(status, headers={"Content-Type": media}, content=b"<p>"))
            with self.assertRaises(FairleadError) as raised:
                list_corridors.sync(client=client)
            self.assertIsNone(raised.exception.code)

    def test_carries_what_the_service_says(self):
        body = {"code": "INVALID_REQUEST", "message": "no", "details": [{"path": "query.limit", "message": "number"}]}
        client, _ = scripted(httpx.Response(400, json=body, headers={"X-Request-Id": "request-1"}))
        with self.assertRaises(FairleadError) as raised:
            list_corridors.sync(client=client)
        self.assertEqual(raised.exception.code, Code.INVALID_REQUEST)
        self.assertEqual(raised.exception.details[0]["path"], "query.limit")
        self.assertEqual(raised.exception.request_id, "request-1")
        client, _ = scripted(httpx.Response(418, json={"code": "NEW", "message": "of a newer service"}))
        with self.assertRaises(FairleadError) as raised:
            list_corridors.sync(client=client)
        self.assertEqual(raised.exception.code, "NEW")

    def test_sends_keys_with_the_operations_that_take_them(self):
        client, asked = scripted(PAGE, admin_key="a", cron_secret="c")
        seen = 0
        for path, operations in json.loads(DOCUMENT.read_text("utf-8"))["paths"].items():
            for method, operation in operations.items():
                client.get_httpx_client().request(method, path)
                schemes = json.dumps(operation["security"])
                sent = asked[-1].headers
                self.assertEqual("X-Admin-Key" in sent, "adminKey" in schemes, path)
                self.assertEqual("Authorization" in sent, "cronSecret" in schemes, path)
                seen += 1
        self.assertGreater(seen, 30)

    def test_keeps_a_value_of_a_newer_service(self):
        self.assertEqual(QuoteTier("firm").value, "firm")
        self.assertEqual(QuoteTier("anchor"), QuoteTier.ANCHOR)


if __name__ == "__main__":
    unittest.main()
