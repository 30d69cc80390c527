package org.fairlead.client;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.fairlead.client.rest.ApiClient;

/**
 * Writes a body that was left out as an empty object, since the generated code sends {@code null}. Refuses what readers disagree
 * on, since answers hold what was signed: a member named twice, a fraction for an integer, text behind the end.
 */
final class BodyMapper extends ObjectMapper {
    private static final long serialVersionUID = 1L;

    BodyMapper() {
        super(ApiClient.createDefaultObjectMapper());
        configure(JsonParser.Feature.STRICT_DUPLICATE_DETECTION, true);
        configure(DeserializationFeature.ACCEPT_FLOAT_AS_INT, false);
        configure(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, true);
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
