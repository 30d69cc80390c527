package org.fairlead.client;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.fairlead.client.rest.ApiClient;

/**
 * Writes a body that was left out as an empty object: the generated code sends {@code null}, which no operation takes. Refuses
 * an answer with a member named twice: readers disagree on which one counts, and answers hold what was signed.
 */
final class BodyMapper extends ObjectMapper {
    private static final long serialVersionUID = 1L;

    BodyMapper() {
        super(ApiClient.createDefaultObjectMapper());
        configure(JsonParser.Feature.STRICT_DUPLICATE_DETECTION, true);
    }

    private BodyMapper(BodyMapper other) {
        super(other);
    }

    @Override
    public byte[] writeValueAsBytes(Object value) throws JsonProcessingException {
        return value == null ? Bytes.utf8("{}") : super.writeValueAsBytes(value);
    }

    @Override
    public ObjectMapper copy() {
        return new BodyMapper(this);
    }
}
