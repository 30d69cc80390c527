package org.fairlead.client;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * The header of a batch as it is hashed and signed: the JSON as it arrived. Nothing is checked of it before
 * {@link Batches#verifyHeader}.
 *
 * @param json the whole header
 */
public record PublishedHeader(@JsonValue JsonNode json) {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public PublishedHeader {}

    public long sequence() {
        return json.path("sequence").asLong();
    }

    public long size() {
        return json.path("size").asLong();
    }

    public String root() {
        return json.path("root").asText();
    }

    /** The score formula of all its entries. */
    public String formula() {
        return json.path("formula").asText();
    }

    /** For the generated models, which can write themselves into a query; no operation takes a header there. */
    public String toUrlQueryString(String prefix) {
        throw new UnsupportedOperationException("a header is no part of a query");
    }
}
