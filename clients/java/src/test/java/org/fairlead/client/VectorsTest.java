package org.fairlead.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.fairlead.client.model.CreateIntentBody;
import org.fairlead.client.model.FileDisputeBody;
import org.junit.jupiter.api.Test;

class VectorsTest {
    private static byte[] hex(JsonNode text) {
        return HexFormat.of().parseHex(text.asText());
    }

    @Test
    void accountsAreReadAndRefused() throws Exception {
        JsonNode vectors = Vectors.read("contract/vectors/strkey.json");
        for (JsonNode each : vectors.get("accepted")) {
            String account = each.get("account").asText();
            assertEquals(account, Strkey.encodeAccount(hex(each.get("hex"))));
            assertEquals(each.get("hex").asText(), Bytes.hex(Strkey.parseAccount(account)));
            assertEquals(account, Strkey.encodeAccount(Strkey.parseAccount(each.get("hex").asText().toUpperCase())));
        }
        for (JsonNode each : vectors.get("refused")) {
            String text = each.get("text").asText();
            assertThrows(VerificationException.class, () -> Strkey.parseAccount(text), each.get("why").asText());
        }
    }

    @Test
    void intentsHaveTheHashOfTheVectors() throws Exception {
        JsonNode cases = Vectors.read("contract/vectors/intent-hash.json").get("cases");
        for (JsonNode each : cases) {
            CreateIntentBody terms = Vectors.as(each.get("intent"), CreateIntentBody.class);
            assertEquals(each.get("canonical").asText(), Intents.canonical(terms));
            assertEquals(each.get("intentHash").asText(), Intents.hash(terms));
        }
        for (String amount : List.of("", "1e3", "-1", "01", "1.", ".5", "+1", " 1")) {
            CreateIntentBody bad = Vectors.as(cases.get(0).get("intent"), CreateIntentBody.class).sellAmount(amount);
            assertThrows(VerificationException.class, () -> Intents.hash(bad), amount);
        }
        for (String instant : List.of("2026-11-31T00:00:00Z", "2026-11-21", "2026-11-21T24:00:00Z", "2026-11-21T09:30Z")) {
            CreateIntentBody bad = Vectors.as(cases.get(0).get("intent"), CreateIntentBody.class).expiresAt(instant);
            assertThrows(VerificationException.class, () -> Intents.hash(bad), instant);
        }
        for (String name : List.of("corridor", "anchorId", "account", "sellAmount", "nonce")) {
            ObjectNode without = cases.get(0).get("intent").deepCopy();
            without.remove(name);
            CreateIntentBody bad = Vectors.as(without, CreateIntentBody.class);
            assertThrows(VerificationException.class, () -> Intents.hash(bad), name);
        }
    }

    @Test
    void disputesAreSignedAndVerified() throws Exception {
        JsonNode cases = Vectors.read("contract/vectors/dispute.json").get("cases");
        for (JsonNode each : cases) {
            FileDisputeBody body = Vectors.as(each.get("body"), FileDisputeBody.class);
            String hash = body.getIntentHash();
            String secretKey = each.get("secretKey").asText();
            assertEquals(each.get("sep53Hash").asText(), Bytes.hex(Disputes.sep53Hash(hash)));
            assertEquals(body, Disputes.sign(hash, body.getAnchorId(), body.getReason(), body.getPublicKey(), secretKey));
            String plain = Bytes.base64(Ed25519.sign(Strkey.parseSecretKey(secretKey), Bytes.utf8(hash)));
            assertTrue(Disputes.isSigned(Vectors.as(each.get("body"), FileDisputeBody.class).signature(plain)));
            Map<String, String> changes = Map.of(
                    "intentHash", "0" + hash.substring(1),
                    "publicKey", Strkey.encodeAccount(new byte[32]),
                    "signature", "A" + body.getSignature().substring(1));
            changes.forEach((name, other) -> {
                ObjectNode changed = each.get("body").deepCopy();
                changed.put(name, other);
                assertFalse(Disputes.isSigned(Vectors.as(changed, FileDisputeBody.class)), name);
            });
            body.setSignature(body.getSignature().substring(0, 85) + "R==");
            assertFalse(Disputes.isSigned(body));
        }
        for (String text : List.of("log in to another service", cases.get(0).get("body").get("intentHash").asText().toUpperCase())) {
            FileDisputeBody body = Vectors.as(cases.get(0).get("body"), FileDisputeBody.class).intentHash(text);
            byte[] seed = Strkey.parseSecretKey(cases.get(0).get("secretKey").asText());
            assertFalse(Disputes.isSigned(body.signature(Bytes.base64(Ed25519.sign(seed, Bytes.utf8(text))))), text);
        }
        for (String name : List.of("intentHash", "publicKey", "signature")) {
            ObjectNode without = cases.get(0).get("body").deepCopy();
            without.remove(name);
            assertFalse(Disputes.isSigned(Vectors.as(without, FileDisputeBody.class)), name);
        }
        String other = cases.get(1).get("secretKey").asText();
        String account = cases.get(0).get("body").get("publicKey").asText();
        assertThrows(VerificationException.class, () -> Disputes.sign("0".repeat(64), "a", "r", account, other));
        assertThrows(VerificationException.class, () -> Disputes.sign("0".repeat(64), "a", "r", account, account));
    }

    private static Map<String, List<String>> headers(JsonNode vector) {
        Map<String, List<String>> headers = new TreeMap<>();
        vector.fields().forEachRemaining(each -> headers.put(each.getKey(), List.of(each.getValue().asText())));
        return headers;
    }

    @Test
    void webhooksAreVerifiedAndRefused() throws Exception {
        JsonNode vectors = Vectors.read("contract/vectors/webhook.json");
        for (JsonNode each : vectors.get("cases")) {
            byte[] body = Bytes.utf8(each.get("body").asText());
            String secret = each.get("secret").asText();
            Map<String, List<String>> headers = headers(each.get("headers"));
            Instant now = Instant.ofEpochSecond(each.get("headers").get("webhook-timestamp").asLong());
            Webhooks webhooks = Webhooks.with("another", secret);
            assertEquals(headers.get("webhook-id"), List.of(webhooks.verify(body, headers, now.plusSeconds(299)).id()));
            assertEquals(each.get("standardSecret").asText(), Webhooks.standardSecret(secret));
            assertRefused(webhooks, body, headers, now.plusSeconds(301));
            assertRefused(webhooks, body, headers, now.minusSeconds(301));
            assertRefused(Webhooks.with("another"), body, headers, now);
            assertRefused(webhooks, Bytes.utf8(each.get("body").asText().replace("T09", "T08")), headers, now);
            for (String name : headers.keySet()) {
                Map<String, List<String>> changed = new TreeMap<>(headers);
                changed.put(name, List.of("0" + headers.get(name).get(0)));
                assertRefused(webhooks, body, changed, now);
                changed.put(name, List.of(headers.get(name).get(0), "0"));
                assertRefused(webhooks, body, changed, now);
                changed.remove(name);
                assertRefused(webhooks, body, changed, now);
            }
        }
        for (JsonNode each : vectors.get("refused")) {
            Map<String, List<String>> headers = Map.of("x-fairlead-signature", List.of(each.get("signature").asText()));
            Webhooks webhooks = Webhooks.with(each.get("secret").asText()).timestampOptional();
            assertRefused(webhooks, Bytes.utf8(each.get("body").asText()), headers, Instant.now());
        }
        for (String[] secrets : new String[][] {{}, {""}, {"a secret", ""}}) {
            assertThrows(IllegalArgumentException.class, () -> Webhooks.with(secrets));
        }
    }

    private static final String EVENT =
            "{\"id\":\"1\",\"event\":\"intent.settled\",\"createdAt\":\"2026-11-21T09:29:59.250Z\",\"data\":{}}";

    @Test
    void webhooksWantATimestampUnlessToldOtherwise() throws Exception {
        Map<String, List<String>> headers = new HashMap<>();
        headers.put(null, List.of("POST / HTTP/1.1"));
        headers.put("x-fairlead-signature", List.of(hmac("a secret", EVENT)));
        assertRefused(Webhooks.with("a secret"), Bytes.utf8(EVENT), headers, Instant.now());
        Webhooks optional = Webhooks.with("a secret").timestampOptional();
        assertEquals("1", optional.verify(Bytes.utf8(EVENT), headers).id());
        headers.put("webhook-id", List.of("1", "1"));
        assertRefused(optional, Bytes.utf8(EVENT), headers, Instant.now());
        headers.remove("webhook-id");
        headers.put("X-Fairlead-Signature", List.of("0"));
        assertRefused(optional, Bytes.utf8(EVENT), headers, Instant.now());
    }

    @Test
    void tenSignaturesCountAndNoMore() throws Exception {
        JsonNode each = Vectors.read("contract/vectors/webhook.json").get("cases").get(0);
        byte[] body = Bytes.utf8(each.get("body").asText());
        Instant now = Instant.ofEpochSecond(each.get("headers").get("webhook-timestamp").asLong());
        Map<String, List<String>> headers = headers(each.get("headers"));
        String signature = headers.get("webhook-signature").get(0);
        Webhooks webhooks = Webhooks.with(each.get("secret").asText());
        headers.put("webhook-signature", List.of("v1,A ".repeat(9) + signature + " v1,B"));
        assertEquals(headers.get("webhook-id"), List.of(webhooks.verify(body, headers, now).id()));
        headers.put("webhook-signature", List.of("v1,A ".repeat(10) + signature));
        assertRefused(webhooks, body, headers, now);
    }

    private static String hmac(String secret, String body) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Bytes.utf8(secret), "HmacSHA256"));
        return Bytes.hex(mac.doFinal(Bytes.utf8(body)));
    }

    private static void assertRefused(Webhooks webhooks, byte[] body, Map<String, List<String>> headers, Instant now) {
        assertThrows(VerificationException.class, () -> webhooks.verify(body, headers, now));
    }

    @Test
    void signaturesAreVerifiedStrictly() throws Exception {
        for (JsonNode each : Vectors.read("test/vectors/wycheproof-ed25519.json").get("cases")) {
            assertEquals(each.get("valid").asBoolean(), verified(each, each.get("message")), "wycheproof " + each);
        }
        for (JsonNode each : Vectors.read("test/vectors/speccheck.json").get("cases")) {
            assertEquals(each.get("both").asBoolean(), verified(each, each.get("message")), "speccheck " + each);
        }
        JsonNode zip215 = Vectors.read("test/vectors/zip215-small-order.json");
        for (JsonNode each : zip215.get("cases")) assertFalse(verified(each, zip215.get("message")), "zip215 " + each);
    }

    private static boolean verified(JsonNode each, JsonNode message) {
        return Ed25519.verify(hex(each.get("publicKey")), hex(message), hex(each.get("signature")));
    }

    @Test
    void canonicalJsonIsThatOfTheReference() throws Exception {
        int compared = 0;
        for (JsonNode each : Vectors.read("test/vectors/jcs.json").get("cases")) {
            JsonNode input = Vectors.MAPPER.readTree(each.get("input").asText());
            if (input.toString().matches(".*\\d\\.\\d.*|.*\\dE.*")) continue; // Nothing that is signed holds such a number.
            assertEquals(new String(hex(each.get("outputHex")), "UTF-8"), CanonicalJson.of(input), each.get("name").asText());
            compared++;
        }
        assertTrue(compared >= 3);
        JsonNode deepest = Vectors.MAPPER.readTree("[".repeat(32) + "]".repeat(32));
        assertEquals(deepest.toString(), CanonicalJson.of(deepest));
        String nested = "[".repeat(33) + "]".repeat(33);
        for (String text : List.of("1.5", "1e2", "9007199254740992", "-9223372036854775808", "\"\\ud800\"", "\"\\udc00\\ud800\"", nested)) {
            JsonNode input = Vectors.MAPPER.readTree(text);
            assertThrows(VerificationException.class, () -> CanonicalJson.of(input), text);
        }
        JsonNode escapes = Vectors.MAPPER.readTree("{\"\\ud83d\\ude02\\\\\":\"\\u0001\",\"\\ufb33\":-1,\"e\":{},\"a\":[]}");
        assertEquals("{\"a\":[],\"e\":{},\"\ud83d\ude02\\\\\":\"\\u0001\",\"\ufb33\":-1}", CanonicalJson.of(escapes));
    }
}
