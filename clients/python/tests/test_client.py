import asyncio
import json
import unittest
from pathlib import Path

import httpx

from fairlead.client import connect
from fairlead.codes import Code
from fairlead.errors import FairleadError
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
        client, asked = scripted(limited("0"))
        with self.assertRaises(FairleadError):
            create_intent.sync(client=client, body=CreateIntentBody("c", "a", "G", "1", "n"))
        self.assertEqual(len(asked), 1)
        with self.assertRaises(FairleadError):
            list_corridors.sync(client=client)
        self.assertEqual(len(asked), 4)

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
