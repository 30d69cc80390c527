package org.fairlead.client;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.security.SecureRandom;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Locale;
import java.util.regex.Pattern;
import org.fairlead.client.model.CreateIntentBody;
import org.fairlead.client.model.IntentAnswer;
import org.fairlead.client.rest.ApiException;

/** The identity of an intent, which follows from its terms alone. */
public final class Intents {
    private static final Pattern AMOUNT = Pattern.compile("(0|[1-9][0-9]*)(\\.[0-9]+)?");
    private static final Pattern INSTANT = Pattern.compile(
            "[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])");
    private static final DateTimeFormatter MILLISECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'");

    private Intents() {}

    /** 192 random bits. Keep it like a password: whoever knows it may attach a transaction to the intent. */
    public static String newNonce() {
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    /** The text that is hashed: the RFC 8785 form of the terms. The transaction's id is none of them. */
    public static String canonical(CreateIntentBody terms) throws VerificationException {
        boolean isWhole = terms.getCorridor() != null
                && terms.getAnchorId() != null
                && terms.getSellAmount() != null
                && terms.getNonce() != null;
        if (!isWhole) throw new VerificationException("a term is missing");
        ObjectNode members = JsonNodeFactory.instance.objectNode();
        members.put("type", "fairlead.intent.v1");
        members.put("corridor", terms.getCorridor().toLowerCase(Locale.ROOT));
        members.put("anchorId", terms.getAnchorId().toLowerCase(Locale.ROOT));
        members.put("account", Strkey.encodeAccount(Strkey.parseAccount(terms.getAccount())));
        members.put("sellAmount", withoutTrailingZeros(terms.getSellAmount()));
        members.put("nonce", terms.getNonce());
        if (terms.getMinReceive() != null) members.put("minReceive", withoutTrailingZeros(terms.getMinReceive()));
        if (terms.getDeliveryMethod() != null) members.put("deliveryMethod", terms.getDeliveryMethod());
        if (terms.getExpiresAt() != null) members.put("expiresAt", inUtc(terms.getExpiresAt()));
        return CanonicalJson.of(members);
    }

    /** What the service must answer as {@code intentHash} for these terms. */
    public static String hash(CreateIntentBody terms) throws VerificationException {
        return Bytes.hex(Bytes.sha256(Bytes.utf8(canonical(terms))));
    }

    /** Registers an intent, and refuses an answer that is not of these terms. */
    public static IntentAnswer register(Fairlead service, CreateIntentBody terms)
            throws ApiException, VerificationException {
        IntentAnswer intent = service.intents().createIntent(terms);
        if (intent.getIntentHash().equals(hash(terms))) return intent;
        throw new VerificationException("the service registered other terms");
    }

    /** Asks for an intent every two seconds until it has ended. */
    public static IntentAnswer follow(Fairlead service, String intentHash) throws ApiException, InterruptedException {
        for (; ; Thread.sleep(2000)) {
            IntentAnswer intent = service.intents().getIntent(intentHash);
            if (!intent.getStatus().toString().equals("pending")) return intent;
        }
    }

    private static String withoutTrailingZeros(String amount) throws VerificationException {
        if (amount.length() > 64 || !AMOUNT.matcher(amount).matches()) {
            throw new VerificationException(
                    "an amount must be a decimal string without sign, exponent or leading zeros");
        }
        return amount.contains(".") ? amount.replaceFirst("\\.?0+$", "") : amount;
    }

    /** Milliseconds and Z; what is finer is cut off. */
    private static String inUtc(String text) throws VerificationException {
        try {
            OffsetDateTime utc = OffsetDateTime.parse(text).withOffsetSameInstant(ZoneOffset.UTC);
            String instant = MILLISECONDS.format(utc);
            if (INSTANT.matcher(text).matches() && INSTANT.matcher(instant).matches()) return instant;
        } catch (DateTimeException notAnInstant) {
            // It is refused below.
        }
        throw new VerificationException("expiresAt must be an ISO 8601 instant that exists");
    }
}
