package org.fairlead.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Checks deliveries to one receiver. */
public final class Webhooks {
    private static final int MAX_SIGNATURES = 10;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final List<String> secrets;
    private final Duration tolerance;
    private final boolean requireTimestamp;

    /** A delivery that was verified. Deliveries come at least once: do nothing for an id seen before. */
    public record Event(String id, String event, String createdAt, JsonNode data) {}

    private Webhooks(List<String> secrets, Duration tolerance, boolean requireTimestamp) {
        this.secrets = secrets;
        this.tolerance = tolerance;
        this.requireTimestamp = requireTimestamp;
    }

    /** The registered secret; during a rotation the new and the old one. */
    public static Webhooks with(String... secrets) {
        List<String> given = List.of(secrets);
        if (given.isEmpty() || given.contains("")) throw new IllegalArgumentException("there is no secret to verify with");
        return new Webhooks(given, Duration.ofMinutes(5), true);
    }

    /** How far {@code webhook-timestamp} may be from now, either way; 5 minutes. */
    public Webhooks tolerance(Duration value) {
        return new Webhooks(secrets, value, requireTimestamp);
    }

    /**
     * Lets a delivery without any of the Standard Webhooks headers pass. They alone carry a time, and the service always sends
     * them: without them a delivery that was recorded can be sent again for ever.
     */
    public Webhooks timestampOptional() {
        return new Webhooks(secrets, tolerance, false);
    }

    /** {@link #verify(byte[], Map, Instant)} by the clock of this machine. */
    public Event verify(byte[] body, Map<String, List<String>> headers) throws VerificationException {
        return verify(body, headers, Instant.now());
    }

    /**
     * The event of a delivery of which the body is exactly what arrived. Where it throws, answer 401 and do nothing. The data
     * is authentic but not validated, and a newer service may send events and members that are not known here.
     */
    public Event verify(byte[] body, Map<String, List<String>> headers, Instant now) throws VerificationException {
        Map<String, List<String>> given = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.forEach((name, values) -> {
            // Some sources have the status line without a name.
            if (name != null) given.computeIfAbsent(name, each -> new ArrayList<>()).addAll(values);
        });
        List<String> expected = new ArrayList<>();
        for (String secret : secrets) expected.add(Bytes.hex(hmac(Bytes.utf8(secret), body)));
        if (!anyMatches(List.of(only(given, "X-Fairlead-Signature")), expected)) {
            throw new VerificationException("X-Fairlead-Signature is missing or does not match the body");
        }
        checkStandard(body, given, now);
        return eventOf(body);
    }

    private void checkStandard(byte[] body, Map<String, List<String>> given, Instant now) throws VerificationException {
        String id = only(given, "webhook-id");
        String timestamp = only(given, "webhook-timestamp");
        String signatures = only(given, "webhook-signature");
        boolean none = Stream.of("webhook-id", "webhook-timestamp", "webhook-signature").noneMatch(given::containsKey);
        if (none && !requireTimestamp) return;
        if (id.isEmpty() || timestamp.isEmpty() || signatures.isEmpty()) {
            throw new VerificationException("one of the three webhook- headers is missing, or sent twice");
        }
        if (!timestamp.matches("[0-9]{1,12}")) {
            throw new VerificationException("webhook-timestamp is not a time in seconds");
        }
        Duration age = Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), now);
        if (age.abs().compareTo(tolerance) > 0) {
            throw new VerificationException("webhook-timestamp is too far from now");
        }
        byte[] signed = Bytes.concat(Bytes.utf8(id + "." + timestamp + "."), body);
        List<String> expected = new ArrayList<>();
        for (String secret : secrets) expected.add("v1," + Bytes.base64(hmac(standardKey(secret), signed)));
        if (!anyMatches(Stream.of(signatures.split(" ")).limit(MAX_SIGNATURES).toList(), expected)) {
            throw new VerificationException("webhook-signature holds no matching signature");
        }
    }

    /** The secret as libraries of Standard Webhooks take it. */
    public static String standardSecret(String secret) {
        return "whsec_" + Bytes.base64(standardKey(secret));
    }

    private static byte[] standardKey(String secret) {
        Optional<byte[]> key = secret.matches("whsec_.+") ? Bytes.fromBase64(secret.substring(6)) : Optional.empty();
        return key.orElseGet(() -> Bytes.utf8(secret));
    }

    /** Empty where the header is missing or sent twice: the second value could be another reader's. */
    private static String only(Map<String, List<String>> given, String name) {
        List<String> values = given.getOrDefault(name, List.of());
        return values.size() == 1 ? values.get(0) : "";
    }

    /** Compares all with all, so that the time does not tell which one matches. */
    private static boolean anyMatches(List<String> given, List<String> expected) {
        boolean found = false;
        for (String one : given) {
            for (String other : expected) found |= MessageDigest.isEqual(Bytes.utf8(one), Bytes.utf8(other));
        }
        return found;
    }

    private static byte[] hmac(byte[] key, byte[] message) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(message);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible); // Every Java has HMAC-SHA-256.
        }
    }

    private static Event eventOf(byte[] body) throws VerificationException {
        try {
            JsonNode read = MAPPER.readTree(body);
            Event event = new Event(
                    read.path("id").asText(), read.path("event").asText(), read.path("createdAt").asText(), read.path("data"));
            boolean isWhole = !event.id().isEmpty() && !event.event().isEmpty() && !event.createdAt().isEmpty();
            if (isWhole && event.data().isObject()) return event;
        } catch (IOException notJson) {
            // It is refused below.
        }
        throw new VerificationException("the body is not an event");
    }
}
