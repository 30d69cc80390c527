package org.fairlead.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.fairlead.client.api.CorridorsApi.APIListCorridorsRequest;
import org.fairlead.client.api.PublisherApi.APITickPublisherRequest;
import org.fairlead.client.model.CreateIntentBody;
import org.fairlead.client.model.QuoteTier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FairleadTest {
    private record Answer(int status, String type, String body, Map<String, String> headers) {}

    private static final Answer PAGE = new Answer(200, "application/json; charset=utf-8", "{\"items\":[],\"nextCursor\":null}", Map.of());
    private final List<Headers> asked = new ArrayList<>();
    private final List<String> bodies = new ArrayList<>();
    private HttpServer server;

    /** A service that gives these answers, the last one for ever. */
    private Fairlead scripted(Answer... answers) throws IOException {
        asked.clear();
        if (server != null) server.stop(0);
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            asked.add(exchange.getRequestHeaders());
            bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            Answer answer = answers[Math.min(asked.size(), answers.length) - 1];
            exchange.getResponseHeaders().set("Content-Type", answer.type());
            answer.headers().forEach(exchange.getResponseHeaders()::set);
            byte[] body = Bytes.utf8(answer.body());
            exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return Fairlead.at("http://127.0.0.1:" + server.getAddress().getPort() + "/").userAgent("wallet/1.0").build();
    }

    @AfterEach
    void stop() {
        if (server != null) server.stop(0);
    }

    private static Answer limited(String seconds) {
        String body = "{\"code\":\"RATE_LIMITED\",\"message\":\"wait\",\"retryAfter\":1}";
        return new Answer(429, "application/json", body, Map.of("Retry-After", seconds));
    }

    private static int list(Fairlead fairlead) throws Exception {
        return fairlead.corridors().listCorridors(APIListCorridorsRequest.newBuilder().build()).getItems().size();
    }

    @Test
    void aLimitIsWaitedOut() throws Exception {
        assertEquals(0, list(scripted(limited("0"), limited("1"), PAGE)));
        assertEquals(3, asked.size());
        assertEquals("wallet/1.0 fairlead-java/" + Fairlead.VERSION, asked.get(0).getFirst("User-Agent"));
    }

    @Test
    void aLimitIsThrownWhereItIsTooLongOrOfAPost() throws Exception {
        for (String seconds : List.of("11", "soon", "")) {
            Fairlead fairlead = scripted(limited(seconds));
            FairleadException thrown = assertThrows(FairleadException.class, () -> list(fairlead));
            assertEquals(ErrorCode.RATE_LIMITED, thrown.code());
            assertEquals(429, thrown.status());
            assertEquals(1, asked.size());
        }
        Fairlead fairlead = scripted(limited("0"));
        assertThrows(FairleadException.class, () -> fairlead.intents().createIntent(new CreateIntentBody()));
        assertEquals(1, asked.size());
        assertThrows(FairleadException.class, () -> list(fairlead));
        assertEquals(4, asked.size());
    }

    @Test
    void anAnswerThatIsNotTheServicesIsThrown() throws Exception {
        List<Answer> strange = List.of(
                new Answer(200, "text/html", "<p>", Map.of()),
                new Answer(502, "text/html", "<p>", Map.of()),
                new Answer(500, "application/json", "<p>", Map.of()),
                new Answer(302, "text/html", "", Map.of("Location", "http://127.0.0.1:1/")));
        for (Answer answer : strange) {
            Fairlead fairlead = scripted(answer);
            FairleadException thrown = assertThrows(FairleadException.class, () -> list(fairlead));
            assertEquals(ErrorCode.UNKNOWN, thrown.code());
            assertEquals("", thrown.codeText());
        }
    }

    @Test
    void anErrorCarriesWhatTheServiceSays() throws Exception {
        String body = "{\"code\":\"INVALID_REQUEST\",\"message\":\"no\",\"details\":[{\"path\":\"query.limit\",\"message\":\"number\"}]}";
        Fairlead fairlead = scripted(new Answer(400, "application/json", body, Map.of("X-Request-Id", "request-1")));
        FairleadException thrown = assertThrows(FairleadException.class, () -> list(fairlead));
        assertEquals(ErrorCode.INVALID_REQUEST, thrown.code());
        assertEquals(List.of(new FairleadException.Detail("query.limit", "number")), thrown.details());
        assertEquals("request-1", thrown.requestId().orElseThrow());
        Fairlead newer = scripted(new Answer(418, "application/json", "{\"code\":\"NEW\",\"message\":\"\"}", Map.of()));
        assertEquals("NEW", assertThrows(FairleadException.class, () -> list(newer)).codeText());
    }

    @Test
    void keysAreSentWithTheOperationsThatTakeThem() throws Exception {
        Keys keys = new Keys("test", "a", "c");
        int seen = 0;
        JsonNode paths = Vectors.read("docs/openapi.client.json").get("paths");
        for (Iterator<Map.Entry<String, JsonNode>> each = paths.fields(); each.hasNext(); ) {
            Map.Entry<String, JsonNode> path = each.next();
            URI uri = URI.create("http://service" + path.getKey().replaceAll("[{}]", ""));
            for (Iterator<String> methods = path.getValue().fieldNames(); methods.hasNext(); seen++) {
                String method = methods.next();
                String schemes = path.getValue().get(method).get("security").toString();
                HttpRequest request = HttpRequest.newBuilder(uri).method(method.toUpperCase(), HttpRequest.BodyPublishers.noBody()).build();
                HttpRequest sent = keys.addTo(request);
                assertEquals(schemes.contains("adminKey"), sent.headers().firstValue("X-Admin-Key").isPresent(), path.getKey());
                assertEquals(schemes.contains("cronSecret"), sent.headers().firstValue("Authorization").isPresent(), path.getKey());
            }
        }
        assertTrue(seen > 30);
    }

    @Test
    void aBodyThatIsLeftOutIsAnEmptyObject() throws Exception {
        Fairlead fairlead = scripted(PAGE);
        fairlead.publisher().tickPublisher(APITickPublisherRequest.newBuilder().build());
        assertEquals(List.of("{}"), bodies);
    }

    @Test
    void aValueOfANewerServiceIsNoError() {
        assertEquals(QuoteTier.UNKNOWN_DEFAULT_OPEN_API, QuoteTier.fromValue("firm"));
    }
}
