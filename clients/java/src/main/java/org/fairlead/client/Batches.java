package org.fairlead.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.fairlead.client.model.EntryProof;
import org.fairlead.client.model.PublisherKey;

/**
 * Batches of scores, as the publisher has signed them, and proofs that an entry stands in one. Get the keys once, from a
 * source that you trust: a key that comes with a batch proves nothing.
 */
public final class Batches {
    /** The score formulas that this version can judge. */
    private static final Set<String> FORMULAS = Set.of("v1");

    private static final Set<String> HEADER_MEMBERS =
            Set.of("version", "sequence", "previous", "root", "size", "formula", "createdAt", "keyId");

    private Batches() {}

    /** The batch before, as it was remembered from an earlier check. */
    public record Head(long sequence, String headerHash) {
        /** Says that there is none: the batch must be the first. */
        public static final Head NONE = new Head(0, null);
    }

    /**
     * Checks form, chain and signature of a header, and returns its hash.
     *
     * @param previous the batch before, {@link Head#NONE}, or null where the link is not to be checked
     */
    public static String verifyHeader(
            PublishedHeader header, String signature, List<PublisherKey> keys, Head previous)
            throws VerificationException {
        JsonNode read = checkForm(header);
        if (previous != null) {
            boolean follows = header.sequence() == previous.sequence() + 1
                    && (previous.sequence() == 0 || read.get("previous").asText().equals(previous.headerHash()));
            if (!follows) throw new VerificationException("the header does not follow the batch before it");
        }
        String hash = Bytes.hex(Bytes.sha256(Bytes.utf8(CanonicalJson.of(read))));
        byte[] key = keyOf(read.get("keyId").textValue(), keys);
        byte[] signed = Bytes.fromBase64(signature).orElse(new byte[0]);
        if (!Ed25519.verify(key, Bytes.utf8("fairlead.batch.v1\n" + hash), signed)) {
            throw new VerificationException("the signature does not verify under the key");
        }
        return hash;
    }

    /** As {@link #verifyHeader}, and that these are the entries, all of them, in their order. */
    public static String verifyBatch(
            PublishedHeader header, String signature, List<PublishedCard> entries, List<PublisherKey> keys, Head previous)
            throws VerificationException {
        String hash = verifyHeader(header, signature, keys, previous);
        if (entries == null || entries.size() != header.size()) {
            throw new VerificationException("there are more or fewer entries than the header says");
        }
        List<byte[]> leaves = new ArrayList<>();
        for (PublishedCard entry : entries) leaves.add(leafOf(header, entry));
        if (!Bytes.hex(Merkle.root(leaves)).equals(header.root())) {
            throw new VerificationException("the entries do not have the root that was signed");
        }
        return hash;
    }

    /**
     * That the batch was signed by one of the keys, and that the entry stands in it. Returns the entry; compare its anchor
     * and corridor with those asked for.
     */
    public static PublishedCard verifyProof(EntryProof claim, List<PublisherKey> keys) throws VerificationException {
        boolean isWhole = claim != null
                && claim.getBatch() != null
                && claim.getIndex() != null
                && claim.getSize() != null
                && claim.getProof() != null;
        if (!isWhole) throw new VerificationException("the answer is not a proof");
        PublishedHeader header = claim.getBatch().getHeader();
        verifyHeader(header, claim.getBatch().getSignature(), keys, null);
        byte[] leaf = leafOf(header, claim.getEntry());
        List<byte[]> proof = new ArrayList<>();
        for (String sibling : claim.getProof()) proof.add(hashOf(sibling));
        boolean sameSize = header.size() == claim.getSize();
        if (!sameSize || !Merkle.includes(leaf, claim.getIndex(), claim.getSize(), proof, hashOf(header.root()))) {
            throw new VerificationException("the batch does not hold this entry");
        }
        return claim.getEntry();
    }

    /** Wants the eight members and no others, each of its form and type. */
    private static JsonNode checkForm(PublishedHeader header) throws VerificationException {
        JsonNode read = header == null ? null : header.json();
        if (read == null || !read.isObject()) throw new VerificationException("the header is not a JSON object");
        Set<String> names = new HashSet<>();
        read.fieldNames().forEachRemaining(names::add);
        if (!names.equals(HEADER_MEMBERS)) {
            throw new VerificationException("the header lacks a member, or has another one");
        }
        long sequence = integerOf(read.get("sequence"));
        boolean isFirst = read.get("previous").isNull();
        boolean isFormed = integerOf(read.get("version")) == 1
                && sequence >= 1
                && integerOf(read.get("size")) >= 0
                && isFirst == (sequence == 1)
                && matches(read.get("root"), "[0-9a-f]{64}")
                && (isFirst || matches(read.get("previous"), "[0-9a-f]{64}"))
                && matches(read.get("createdAt"), "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z")
                && matches(read.get("keyId"), "[0-9a-f]{16}");
        if (!isFormed) throw new VerificationException("the header has a member of another form");
        if (!read.get("formula").isTextual() || !FORMULAS.contains(read.get("formula").textValue())) {
            throw new VerificationException("the score formula is not known: this verifier may be too old");
        }
        return read;
    }

    /** Negative where it is no integer. */
    private static long integerOf(JsonNode value) {
        return value.isIntegralNumber() && value.canConvertToLong() ? value.longValue() : -1;
    }

    private static boolean matches(JsonNode value, String pattern) {
        return value.isTextual() && value.textValue().matches(pattern);
    }

    private static byte[] keyOf(String keyId, List<PublisherKey> keys) throws VerificationException {
        for (PublisherKey listed : keys) {
            if (!keyId.equals(listed.getKeyId())) continue;
            byte[] key = Strkey.parseAccount(listed.getPublicKey());
            String id = Bytes.hex(Arrays.copyOf(Bytes.sha256(key), 8));
            if (!Ed25519.isUsable(key) || !id.equals(keyId)) {
                throw new VerificationException("the key is not usable, or the id is another key's");
            }
            return key;
        }
        throw new VerificationException("none of the keys has the id that the header names");
    }

    /** Refuses an entry of another formula than the header's. */
    private static byte[] leafOf(PublishedHeader header, PublishedCard card) throws VerificationException {
        JsonNode entry = card == null ? null : card.json();
        if (entry == null || !entry.isObject()) throw new VerificationException("an entry is not a JSON object");
        JsonNode formula = entry.get("formula");
        if (!header.formula().equals(formula == null ? null : formula.textValue())) {
            throw new VerificationException("an entry follows another formula than the header names");
        }
        return Merkle.leafHash(Bytes.utf8(CanonicalJson.of(entry)));
    }

    private static byte[] hashOf(String text) throws VerificationException {
        if (!Bytes.isHash(text)) throw new VerificationException("a hash of the proof is malformed");
        return HexFormat.of().parseHex(text);
    }
}
