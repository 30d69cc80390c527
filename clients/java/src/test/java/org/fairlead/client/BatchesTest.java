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
import java.util.Base64;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import org.fairlead.client.model.BatchHeader;
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
            BatchHeader header = Vectors.as(batch.get("header"), BatchHeader.class);
            String signature = batch.get("signature").asText();
            List<PublishedCard> cards = cardsOf(batch);
            String hash = Batches.verifyBatch(header, signature, cards, keys, previous);
            assertEquals(batch.get("headerHash").asText(), hash);
            assertEquals(batch.get("canonicalHeader").asText(), CanonicalJson.of(Vectors.MAPPER.valueToTree(header)));

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
                    assertThrows(Exception.class, () -> Batches.verifyHeader(
                            Vectors.as(changed, BatchHeader.class), signature, keys, null), name + " " + other);
                }
            }
            previous = new Batches.Head(header.getSequence(), hash);
        }
    }

    private static void assertRefused(
            BatchHeader header, String signature, List<PublishedCard> cards, List<PublisherKey> keys, Batches.Head previous) {
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
                ObjectNode larger = claim.deepCopy().put("size", 99);
                for (ObjectNode changed : List.of(otherEntry, longer, malformed, moved, larger)) {
                    EntryProof tampered = Vectors.as(changed, EntryProof.class);
                    assertThrows(VerificationException.class, () -> Batches.verifyProof(tampered, keys));
                }
            }
        }
        assertTrue(proven >= 13);
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
}
