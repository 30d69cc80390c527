package org.fairlead.client;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.fairlead.client.rest.ApiClient;

/**
 * A card as it is published and hashed: the JSON as it arrived, with the members that a newer service adds.
 *
 * @param json the whole card
 */
public record PublishedCard(@JsonValue JsonNode json) {
    private static final ObjectMapper MAPPER = ApiClient.createDefaultObjectMapper();

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public PublishedCard {}

    /** The card as a {@code CardWithSigns}, the signs of which are null here, or as a type of your own. */
    public <T> T as(Class<T> type) {
        return MAPPER.convertValue(json, type);
    }

    /** For the generated models, which can write themselves into a query; no operation takes a card there. */
    public String toUrlQueryString(String prefix) {
        throw new UnsupportedOperationException("a card is no part of a query");
    }
}
