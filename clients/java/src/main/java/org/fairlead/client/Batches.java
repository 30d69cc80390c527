package org.fairlead.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.fairlead.client.model.BatchHeader;
import org.fairlead.client.model.EntryProof;
import org.fairlead.client.model.PublisherKey;
import org.fairlead.client.rest.ApiClient;

/**
 * Batches of scores, as the publisher has signed them, and proofs that an entry stands in one. Get the keys once, from a
 * source that you trust: a key that comes with a batch proves nothing.
 */
public final class Batches {
    /** The score formulas that this version can judge. */
    private static final Set<String> FORMULAS = Set.of("v1", "v2");

    private static final ObjectMapper MAPPER = ApiClient.createDefaultObjectMapper();

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
    public static String verifyHeader(BatchHeader header, String signature, List<PublisherKey> keys, Head previous)
            throws VerificationException {
        checkForm(header);
        if (previous != null) {
            boolean follows = header.getSequence() == previous.sequence() + 1
                    && (previous.sequence() == 0 || previous.headerHash().equals(header.getPrevious()));
            if (!follows) throw new VerificationException("the header does not follow the batch before it");
        }
        String hash = Bytes.hex(Bytes.sha256(Bytes.utf8(CanonicalJson.of(MAPPER.valueToTree(header)))));
        byte[] key = keyOf(header.getKeyId(), keys);
        byte[] signed = Bytes.fromBase64(signature).orElse(new byte[0]);
        if (!Ed25519.verify(key, Bytes.utf8("fairlead.batch.v1\n" + hash), signed)) {
            throw new VerificationException("the signature does not verify under the key");
        }
        return hash;
    }

    /** As {@link #verifyHeader}, and that these are the entries, all of them, in their order. */
    public static String verifyBatch(
            BatchHeader header, String signature, List<PublishedCard> entries, List<PublisherKey> keys, Head previous)
            throws VerificationException {
        String hash = verifyHeader(header, signature, keys, previous);
        if (entries.size() != header.getSize()) {
            throw new VerificationException("there are more or fewer entries than the header says");
        }
        List<byte[]> leaves = new ArrayList<>();
        for (PublishedCard entry : entries) leaves.add(leafOf(header, entry));
        if (!Bytes.hex(Merkle.root(leaves)).equals(header.getRoot())) {
            throw new VerificationException("the entries do not have the root that was signed");
        }
        return hash;
    }

    /**
     * That the batch was signed by one of the keys, and that the entry stands in it. Returns the entry; compare its anchor
     * and corridor with those asked for.
     */
    public static PublishedCard verifyProof(EntryProof claim, List<PublisherKey> keys) throws VerificationException {
        if (claim.getBatch() == null || claim.getBatch().getHeader() == null) {
            throw new VerificationException("the answer is not a proof");
        }
        BatchHeader header = claim.getBatch().getHeader();
        verifyHeader(header, String.valueOf(claim.getBatch().getSignature()), keys, null);
        byte[] leaf = leafOf(header, claim.getEntry());
        List<byte[]> proof = new ArrayList<>();
        for (String sibling : claim.getProof()) proof.add(hashOf(sibling));
        boolean sameSize = header.getSize().equals(claim.getSize());
        if (!sameSize || !Merkle.includes(leaf, claim.getIndex(), claim.getSize(), proof, hashOf(header.getRoot()))) {
            throw new VerificationException("the batch does not hold this entry");
        }
        return claim.getEntry();
    }

    private static void checkForm(BatchHeader header) throws VerificationException {
        if (header.getVersion() != BatchHeader.VersionEnum.NUMBER_1) {
            throw new VerificationException("the header has a version that is not known");
        }
        boolean isFirst = header.getPrevious() == null;
        boolean isWhole = header.getSequence() != null
                && header.getSize() != null
                && header.getSequence() >= 1
                && header.getSize() >= 0
                && isFirst == (header.getSequence() == 1)
                && matches(header.getRoot(), "[0-9a-f]{64}")
                && (isFirst || matches(header.getPrevious(), "[0-9a-f]{64}"))
                && matches(header.getCreatedAt(), "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z")
                && matches(header.getKeyId(), "[0-9a-f]{16}");
        if (!isWhole) throw new VerificationException("the header lacks a member, or has one of another form");
        if (header.getFormula() == null || !FORMULAS.contains(header.getFormula())) {
            throw new VerificationException("the score formula is not known: this verifier may be too old");
        }
    }

    private static boolean matches(String text, String pattern) {
        return text != null && text.matches(pattern);
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

    /** Entries of v1 name no formula. */
    private static byte[] leafOf(BatchHeader header, PublishedCard card) throws VerificationException {
        if (card == null || !card.json().isObject()) throw new VerificationException("an entry is not a JSON object");
        JsonNode entry = card.json();
        if (!header.getFormula().equals(entry.path("formula").asText("v1"))) {
            throw new VerificationException("an entry follows another formula than the header names");
        }
        return Merkle.leafHash(Bytes.utf8(CanonicalJson.of(entry)));
    }

    private static byte[] hashOf(String text) throws VerificationException {
        if (!matches(text, "[0-9a-f]{64}")) throw new VerificationException("a hash of the proof is malformed");
        return HexFormat.of().parseHex(text);
    }
}
