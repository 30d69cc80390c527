package org.fairlead.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An answer of the service that is not a success; tell them apart by {@link #code()}. */
public final class FairleadException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Refuses a day that its month does not have. */
    private static final DateTimeFormatter HTTP_DATE =
            DateTimeFormatter.RFC_1123_DATE_TIME.withResolverStyle(ResolverStyle.STRICT);

    private final int status;
    private final String codeText;
    private final transient HttpHeaders headers;
    private final transient JsonNode body;

    /** One fault of a request that is {@code INVALID_REQUEST}; the path is such as {@code body.sellAmount}. */
    public record Detail(String path, String message) {}

    private FairleadException(int status, HttpHeaders headers, JsonNode body) {
        super(body.path("code").asText("no code") + " (" + status + "): " + body.path("message").asText("unexpected answer"));
        this.status = status;
        this.headers = headers;
        this.body = body;
        this.codeText = body.path("code").asText("");
    }

    static FairleadException of(int status, HttpHeaders headers, byte[] body) {
        JsonNode said = MissingNode.getInstance();
        try {
            if (isJson(headers)) said = MAPPER.readTree(body);
        } catch (IOException notJson) {
            // Then it has no code, as any answer that is not the service's.
        }
        return new FairleadException(status, headers, said);
    }

    static boolean isJson(HttpHeaders headers) {
        return headers.firstValue("Content-Type").orElse("").split(";")[0].trim().equalsIgnoreCase("application/json");
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** {@code UNKNOWN} where it is that of a newer service, or the answer is not the service's. */
    public ErrorCode code() {
        return ErrorCode.of(codeText);
    }

    /** The code as the service wrote it; empty where the answer is not the service's. */
    public String codeText() {
        return codeText;
    }

    public List<Detail> details() {
        List<Detail> details = new ArrayList<>();
        for (JsonNode each : body.path("details")) {
            details.add(new Detail(each.path("path").asText(), each.path("message").asText()));
        }
        return details;
    }

    /** How long the service asks to wait. */
    public Optional<Duration> retryAfter() {
        return retryAfter(headers.firstValue("Retry-After").orElse(""), Instant.now());
    }

    /**
     * Reads whole seconds, the one form that the service writes, and what proxies may write: a fraction, which is rounded up,
     * or an HTTP date, of which a past one gives 0.
     */
    static Optional<Duration> retryAfter(String text, Instant now) {
        if (text.matches("[0-9]{1,12}(\\.[0-9]+)?")) {
            return Optional.of(Duration.ofSeconds((long) Math.ceil(Double.parseDouble(text))));
        }
        if (!text.matches("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT")) {
            return Optional.empty();
        }
        try {
            // Without the day of the week, which follows from the date.
            Instant until = Instant.from(HTTP_DATE.parse(text.substring(5)));
            long seconds = (long) Math.ceil(Duration.between(now, until).toMillis() / 1000.0);
            return Optional.of(Duration.ofSeconds(Math.max(0, seconds)));
        } catch (DateTimeException noDate) {
            return Optional.empty();
        }
    }

    /** Finds the request in the service's log. */
    public Optional<String> requestId() {
        return headers.firstValue("X-Request-Id");
    }

    /** The whole answer: some codes have members of their own (docs/errors.md). Missing where it is not JSON. */
    public JsonNode body() {
        return body;
    }
}
