package org.fairlead.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.fairlead.client.rest.ApiClient;

/** Writes a body that was left out as an empty object: the generated code sends {@code null}, which no operation takes. */
final class BodyMapper extends ObjectMapper {
    private static final long serialVersionUID = 1L;

    BodyMapper() {
        super(ApiClient.createDefaultObjectMapper());
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
