package org.fairlead.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import org.fairlead.client.rest.ApiClient;

/** Files of the repository that this client is part of. */
final class Vectors {
    static final ObjectMapper MAPPER = ApiClient.createDefaultObjectMapper();

    private Vectors() {}

    static JsonNode read(String path) throws IOException {
        return MAPPER.readTree(Path.of("../..", path).toFile());
    }

    static <T> T as(JsonNode json, Class<T> type) {
        return MAPPER.convertValue(json, type);
    }
}
