"""A client of a Fairlead service in plain Python: rates, an error, and an intent whose identity it computes itself.

Usage: rates_and_intent.py BASE_URL
"""
import hashlib
import json
import secrets
import sys
import urllib.error
import urllib.request

TIMEOUT_SECONDS = 15


def call(method, url, body=None):
    """(status, headers, parsed body); an error of the service is an answer like any other."""
    data = None if body is None else json.dumps(body).encode("utf-8")
    headers = {} if body is None else {"Content-Type": "application/json"}
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            return answer.status, answer.headers, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, json.load(error)


def intent_hash(terms):
    """SHA-256 of the RFC 8785 form. All members are ASCII strings, so sorted keys without spaces are that form."""
    amount = terms["sellAmount"]
    hashed = dict(terms, type="fairlead.intent.v1")
    hashed["sellAmount"] = amount.rstrip("0").rstrip(".") if "." in amount else amount
    canonical = json.dumps(hashed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


def main(base_url):
    status, headers, rates = call("GET", base_url + "/api/rates/usdc-ngn?amount=100")
    unknown_status, _, unknown = call("GET", base_url + "/api/rates/usdc-zzz")
    terms = {
        "corridor": "usdc-ngn",
        "anchorId": "harbour",
        "account": "GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L",
        "sellAmount": "100.50",
        "expiresAt": "2100-01-01T00:00:00.000Z",
        "nonce": secrets.token_urlsafe(24),
    }
    refused_status, _, refused = call("POST", base_url + "/api/intent/offramp", terms)
    del terms["expiresAt"]
    created_status, created_headers, intent = call("POST", base_url + "/api/intent/offramp", terms)
    read_status, _, read = call("GET", base_url + created_headers["Location"])
    print(
        json.dumps(
            {
                "statuses": [status, unknown_status, refused_status, created_status, read_status],
                "codes": [unknown["code"], refused["code"]],
                "refused": refused["details"][0]["path"],
                "best": rates["best"]["anchorId"],
                "remaining": int(headers["X-RateLimit-Remaining"]),
                "terms": terms,
                "hashes": [intent_hash(terms), intent["intentHash"], read["intentHash"]],
            }
        )
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1].rstrip("/"))
