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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.fairlead.client.api.CorridorsApi.APIListCorridorsRequest;
import org.fairlead.client.api.PublisherApi.APITickPublisherRequest;
import org.fairlead.client.api.RatesApi.APIGetRateHistoryRequest;
import org.fairlead.client.model.CreateIntentBody;
import org.fairlead.client.model.QuoteTier;
import org.fairlead.client.rest.ApiException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
    void aGetIsSentAgainAfterTheSecondsOfRetryAfter() throws Exception {
        long began = System.nanoTime();
        assertEquals(0, list(scripted(limited("0"), limited("1"), PAGE)));
        assertTrue(System.nanoTime() - began >= 1_000_000_000L, "sent again before Retry-After had passed");
        assertEquals(3, asked.size());
        assertEquals("wallet/1.0 fairlead-java/" + Fairlead.VERSION, asked.get(0).getFirst("User-Agent"));
    }

    @Test
    void aLimitIsThrownAtOnceIfRetryAfterIsAboveTenSecondsOrUnreadable() throws Exception {
        for (String seconds : List.of("11", "soon", "")) {
            Fairlead fairlead = scripted(limited(seconds));
            FairleadException thrown = assertThrows(FairleadException.class, () -> list(fairlead));
            assertEquals(ErrorCode.RATE_LIMITED, thrown.code());
            assertEquals(429, thrown.status());
            assertEquals(1, asked.size());
        }
    }

    @Test
    void aPostIsNeverSentAgain() throws Exception {
        Fairlead fairlead = scripted(limited("0"));
        assertThrows(FairleadException.class, () -> fairlead.intents().createIntent(new CreateIntentBody()));
        assertEquals(1, asked.size());
    }

    @Test
    void aGetIsThrownAfterItWasSentThreeTimes() throws Exception {
        Fairlead fairlead = scripted(limited("0"));
        assertThrows(FairleadException.class, () -> list(fairlead));
        assertEquals(3, asked.size());
    }

    @Test
    void retryAfterIsReadAsTheTypeScriptClientDoes() {
        Instant now = Instant.parse("1994-11-06T08:49:30.500Z");
        Map<String, Long> read = Map.of(
                "0", 0L, "7", 7L, "1.5", 2L, "0.0", 0L, "2.000", 2L, "999999999999", 999_999_999_999L,
                "Sun, 06 Nov 1994 08:49:37 GMT", 7L, "Sun, 06 Nov 1994 07:00:00 GMT", 0L);
        read.forEach((text, seconds) -> assertEquals(
                Optional.of(Duration.ofSeconds(seconds)), FairleadException.retryAfter(text, now), text));
        for (String text : List.of(
                "", "-1", "+1", "1.", ".5", "1e1", " 1", "soon", "1000000000000", "Sun, 6 Nov 1994 08:49:37 GMT",
                "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
                "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Xyz 1994 08:49:37 GMT")) {
            assertEquals(Optional.empty(), FairleadException.retryAfter(text, now), text);
        }
    }

    @Test
    void anAnswerThatHasNotChangedIsThrown() throws Exception {
        Fairlead fairlead = scripted(new Answer(304, "application/json", "", Map.of("ETag", "\"a\"")));
        APIListCorridorsRequest request = APIListCorridorsRequest.newBuilder().ifNoneMatch("\"a\"").build();
        FairleadException thrown =
                assertThrows(FairleadException.class, () -> fairlead.corridors().listCorridors(request));
        assertEquals(304, thrown.status());
        assertEquals(ErrorCode.UNKNOWN, thrown.code());
    }

    @Test
    void onlyJsonIsAskedForAndTaken() throws Exception {
        Fairlead fairlead = scripted(PAGE, new Answer(200, "text/csv", "at,rate", Map.of()));
        APIGetRateHistoryRequest request = APIGetRateHistoryRequest.newBuilder().corridor("usdc-ngn").build();
        assertEquals(0, fairlead.rates().getRateHistory(request).getItems().size());
        assertEquals(List.of("application/json"), asked.get(0).get("Accept"));
        assertThrows(FairleadException.class, () -> fairlead.rates().getRateHistory(request));
    }

    @Test
    void aMemberNamedTwiceIsNotRead() throws Exception {
        String body = "{\"items\":[],\"items\":[],\"nextCursor\":null}";
        Fairlead fairlead = scripted(new Answer(200, "application/json", body, Map.of()));
        assertThrows(ApiException.class, () -> list(fairlead));
    }

    @Test
    @Timeout(20)
    void aBodyThatNeverEndsIsGivenUpAtTheTimeLimit() throws Exception {
        for (int status : List.of(200, 502)) {
            CountDownLatch ended = new CountDownLatch(1);
            if (server != null) server.stop(0);
            server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
            server.setExecutor(task -> new Thread(task).start());
            server.createContext("/", exchange -> {
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(status, 0);
                exchange.getResponseBody().write(' ');
                exchange.getResponseBody().flush();
                try {
                    ended.await();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
                exchange.close();
            });
            server.start();
            String url = "http://127.0.0.1:" + server.getAddress().getPort();
            Fairlead fairlead = Fairlead.at(url).timeout(Duration.ofMillis(300)).build();
            assertThrows(ApiException.class, () -> list(fairlead));
            ended.countDown();
        }
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
