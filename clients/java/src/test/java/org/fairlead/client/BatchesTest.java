package org.fairlead.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import org.fairlead.client.model.EntryProof;
import org.fairlead.client.model.PublisherKey;
import org.junit.jupiter.api.Test;

class BatchesTest {
    private static List<PublisherKey> keysOf(JsonNode log) {
        List<PublisherKey> keys = new ArrayList<>();
        for (JsonNode key : log.get("keys")) keys.add(Vectors.as(key, PublisherKey.class));
        return keys;
    }

    private static List<PublishedCard> cardsOf(JsonNode batch) {
        List<PublishedCard> cards = new ArrayList<>();
        for (JsonNode entry : batch.get("entries")) cards.add(new PublishedCard(entry));
        return cards;
    }

    @Test
    void batchesFollowOneAnotherAndAreSigned() throws Exception {
        JsonNode log = Vectors.read("contract/vectors/batch.json");
        List<PublisherKey> keys = keysOf(log);
        Batches.Head previous = Batches.Head.NONE;
        for (JsonNode batch : log.get("batches")) {
            PublishedHeader header = new PublishedHeader(batch.get("header"));
            String signature = batch.get("signature").asText();
            List<PublishedCard> cards = cardsOf(batch);
            String hash = Batches.verifyBatch(header, signature, cards, keys, previous);
            assertEquals(batch.get("headerHash").asText(), hash);
            assertEquals(batch.get("canonicalHeader").asText(), CanonicalJson.of(header.json()));

            assertRefused(header, signature, cards, List.of(), previous);
            assertRefused(header, signature, cards, keys, new Batches.Head(9, hash));
            assertRefused(header, "AAAA", cards, keys, previous);
            List<PublishedCard> more = new ArrayList<>(cards);
            more.add(new PublishedCard(JsonNodeFactory.instance.objectNode()));
            assertRefused(header, signature, more, keys, previous);
            if (!cards.isEmpty()) {
                ObjectNode edited = batch.get("entries").get(0).deepCopy();
                edited.put("outcomes", 1);
                List<PublishedCard> other = new ArrayList<>(cards);
                other.set(0, new PublishedCard(edited));
                assertRefused(header, signature, other, keys, previous);
            }
            for (Iterator<String> names = batch.get("header").fieldNames(); names.hasNext(); ) {
                String name = names.next();
                for (JsonNode other : List.of(new IntNode(77), new TextNode("x"), NullNode.getInstance())) {
                    if (other.equals(batch.get("header").get(name))) continue;
                    ObjectNode changed = batch.get("header").deepCopy();
                    changed.set(name, other);
                    assertRefused(changed, signature, keys, name + " " + other);
                }
                ObjectNode without = batch.get("header").deepCopy();
                without.remove(name);
                assertRefused(without, signature, keys, "without " + name);
            }
            assertRefused(batch.get("header").<ObjectNode>deepCopy().put("more", 1), signature, keys, "one more");
            assertRefused(batch.get("header").<ObjectNode>deepCopy().put("version", 1.0), signature, keys, "1.0");
            String sequence = batch.get("header").get("sequence").asText();
            assertRefused(batch.get("header").<ObjectNode>deepCopy().put("sequence", sequence), signature, keys, "text");
            for (PublishedHeader none : Arrays.asList(null, new PublishedHeader(null), new PublishedHeader(new IntNode(1)))) {
                assertRefused(none, signature, cards, keys, previous);
            }
            assertRefused(header, null, cards, keys, previous);
            assertRefused(header, signature, null, keys, previous);
            assertRefused(header, signature, cards, keys, new Batches.Head(header.sequence() + 4, null));
            previous = new Batches.Head(header.sequence(), hash);
        }
    }

    private static void assertRefused(JsonNode header, String signature, List<PublisherKey> keys, String why) {
        PublishedHeader changed = new PublishedHeader(header);
        assertThrows(VerificationException.class, () -> Batches.verifyHeader(changed, signature, keys, null), why);
    }

    private static void assertRefused(
            PublishedHeader header, String signature, List<PublishedCard> cards, List<PublisherKey> keys, Batches.Head previous) {
        assertThrows(
                VerificationException.class, () -> Batches.verifyBatch(header, signature, cards, keys, previous));
    }

    @Test
    void entriesAreProven() throws Exception {
        JsonNode log = Vectors.read("contract/vectors/batch.json");
        List<PublisherKey> keys = keysOf(log);
        int proven = 0;
        for (JsonNode batch : log.get("batches")) {
            for (int index = 0; index < batch.get("proofs").size(); index++) {
                ObjectNode claim = JsonNodeFactory.instance.objectNode();
                claim.set("entry", batch.get("entries").get(index));
                claim.put("index", index).put("size", batch.get("entries").size());
                claim.set("proof", batch.get("proofs").get(index));
                claim.putObject("batch").put("signature", batch.get("signature").asText()).set("header", batch.get("header"));
                PublishedCard card = Batches.verifyProof(Vectors.as(claim, EntryProof.class), keys);
                assertEquals(batch.get("entries").get(index), card.json());
                proven++;

                ObjectNode otherEntry = claim.deepCopy();
                ((ObjectNode) otherEntry.get("entry")).put("outcomes", 1);
                ObjectNode longer = claim.deepCopy();
                ((ArrayNode) longer.get("proof")).insert(0, batch.get("leafHashes").get(index));
                ObjectNode malformed = claim.deepCopy();
                ((ArrayNode) malformed.get("proof")).add("zz");
                ObjectNode moved = claim.deepCopy().put("index", index + 1);
                for (String name : List.of("entry", "index", "size", "proof", "batch")) {
                    for (JsonNode none : Arrays.asList(null, NullNode.getInstance())) {
                        // The generated model reads a missing list as an empty one, which proves a batch of one entry.
                        if (none == null && name.equals("proof") && claim.get("proof").isEmpty()) continue;
                        ObjectNode left = claim.deepCopy();
                        if (none == null) left.remove(name);
                        else left.set(name, none);
                        EntryProof read = Vectors.as(left, EntryProof.class);
                        assertThrows(VerificationException.class, () -> Batches.verifyProof(read, keys), name);
                    }
                }
                for (String name : List.of("header", "signature")) {
                    ObjectNode left = claim.deepCopy();
                    ((ObjectNode) left.get("batch")).remove(name);
                    EntryProof read = Vectors.as(left, EntryProof.class);
                    assertThrows(VerificationException.class, () -> Batches.verifyProof(read, keys), name);
                }
                ObjectNode noSibling = claim.deepCopy();
                ((ArrayNode) noSibling.get("proof")).addNull();
                ObjectNode noFormula = claim.deepCopy();
                ((ObjectNode) noFormula.get("entry")).putNull("formula");
                ObjectNode larger = claim.deepCopy().put("size", 99);
                for (ObjectNode changed : List.of(otherEntry, longer, malformed, moved, larger, noSibling, noFormula)) {
                    EntryProof tampered = Vectors.as(changed, EntryProof.class);
                    assertThrows(VerificationException.class, () -> Batches.verifyProof(tampered, keys));
                }
            }
        }
        assertTrue(proven >= 13);
    }

    /** The publisher did sign it, but a reader would not know by which formula it was computed. */
    @Test
    void anEntryNamesItsFormula() throws Exception {
        JsonNode log = Vectors.read("contract/vectors/batch.json");
        ObjectNode header = log.get("batches").get(0).get("header").deepCopy();
        byte[] seed = new byte[32];
        String account = "GA5WUJ54Z23KILLCUOUNAKTPBVZWKMQVO4O6EQ5GHLAERIMLLHNCSKYH";
        PublisherKey key = new PublisherKey().publicKey(account);
        key.setKeyId(Bytes.hex(Arrays.copyOf(Bytes.sha256(Strkey.parseAccount(account)), 8)));
        for (boolean named : List.of(false, true)) {
            ObjectNode card = JsonNodeFactory.instance.objectNode().put("anchorId", "harbour");
            if (named) card.put("formula", "v1");
            String root = Bytes.hex(Merkle.leafHash(Bytes.utf8(CanonicalJson.of(card))));
            header.put("formula", "v1").put("size", 1).put("root", root).put("keyId", key.getKeyId());
            String hash = Bytes.hex(Bytes.sha256(Bytes.utf8(CanonicalJson.of(header))));
            String signature = Bytes.base64(Ed25519.sign(seed, Bytes.utf8("fairlead.batch.v1\n" + hash)));
            PublishedHeader signed = new PublishedHeader(header);
            List<PublishedCard> cards = List.of(new PublishedCard(card));
            if (named) assertEquals(hash, Batches.verifyBatch(signed, signature, cards, List.of(key), Batches.Head.NONE));
            else assertRefused(signed, signature, cards, List.of(key), Batches.Head.NONE);
        }
    }

    @Test
    void merkleTreesAreThoseOfRfc6962() throws Exception {
        JsonNode rfc = Vectors.read("test/vectors/rfc6962.json");
        List<byte[]> leaves = new ArrayList<>();
        for (int size = 0; size < rfc.get("roots").size(); size++) {
            assertEquals(rfc.get("roots").get(size).asText(), Bytes.hex(Merkle.root(leaves)));
            JsonNode leaf = rfc.get("leaves").path(size);
            if (!leaf.isMissingNode()) leaves.add(Merkle.leafHash(HexFormat.of().parseHex(leaf.asText())));
        }
        for (JsonNode each : Vectors.read("test/vectors/merkle-inclusion.json").get("cases")) {
            List<byte[]> proof = new ArrayList<>();
            for (JsonNode sibling : each.path("proof")) proof.add(Base64.getDecoder().decode(sibling.asText()));
            byte[] leaf = Base64.getDecoder().decode(each.path("leafHash").asText());
            byte[] root = Base64.getDecoder().decode(each.path("root").asText());
            boolean holds = Merkle.includes(leaf, each.get("leafIdx").asLong(), each.get("treeSize").asLong(), proof, root);
            assertEquals(!each.get("wantErr").asBoolean(), holds, each.get("file").asText());
        }
    }

    @Test
    void proofsAreTakenOnlyAsTheyWereWritten() throws Exception {
        JsonNode vectors = Vectors.read("test/vectors/proof-texts.json");
        List<PublisherKey> keys = new ArrayList<>();
        for (JsonNode key : vectors.get("keys")) keys.add(Vectors.as(key, PublisherKey.class));
        BodyMapper mapper = new BodyMapper();
        String text = vectors.get("text").textValue();
        Batches.verifyProof(mapper.readValue(text, EntryProof.class), keys);
        for (JsonNode refused : vectors.get("refused")) {
            String changed = text.replace(refused.get("from").textValue(), refused.get("to").textValue());
            assertThrows(
                    Exception.class,
                    () -> Batches.verifyProof(mapper.readValue(changed, EntryProof.class), keys),
                    refused.get("name").textValue());
        }
    }
}
