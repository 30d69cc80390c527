import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.fairlead.client.Batches;
import org.fairlead.client.Disputes;
import org.fairlead.client.Fairlead;
import org.fairlead.client.FairleadException;
import org.fairlead.client.Intents;
import org.fairlead.client.PublishedCard;
import org.fairlead.client.VerificationException;
import org.fairlead.client.Webhooks;
import org.fairlead.client.api.CorridorsApi.APIListCorridorsRequest;
import org.fairlead.client.api.PublisherApi.APIProveBatchEntryRequest;
import org.fairlead.client.api.PublisherApi.APITickPublisherRequest;
import org.fairlead.client.api.RatesApi.APIGetRatesRequest;
import org.fairlead.client.api.ReputationApi.APIRefreshReputationRequest;
import org.fairlead.client.model.AttachTransactionBody;
import org.fairlead.client.model.CreateIntentBody;
import org.fairlead.client.model.CreateWebhookBody;
import org.fairlead.client.model.EntryProof;
import org.fairlead.client.model.EventName;
import org.fairlead.client.model.FileDisputeBody;
import org.fairlead.client.model.IntentAnswer;
import org.fairlead.client.model.PublisherKey;
import org.fairlead.client.model.RatesAnswer;
import org.fairlead.client.model.CardWithSigns;
import org.fairlead.client.model.TestWebhookBody;
import org.fairlead.client.rest.ApiException;

/**
 * Does everything that this client is for, once, against a running service: a rate, a webhook, an intent, a dispute, a
 * proof, a limit. It prints a line of JSON for each step, and reads from its input what only the anchor knows: the id of
 * the withdrawal, and then a line once it has ended.
 */
public final class Tour {
    private static final String CORRIDOR = "usdc-ngn";
    private static final String ANCHOR = "harbour";
    private static final String WEBHOOK_SECRET = "a secret of the tour in Java";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Map<String, String> env = System.getenv();
    private final BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private final Fairlead fairlead = Fairlead.at(env.get("FAIRLEAD_URL"))
            .maxRetries(0)
            .adminKey(env.get("FAIRLEAD_ADMIN_KEY"))
            .cronSecret(env.get("FAIRLEAD_CRON_SECRET"))
            .build();

    private record Delivery(byte[] body, Map<String, List<String>> headers) {}

    public static void main(String[] arguments) throws Exception {
        Tour tour = new Tour();
        tour.rate();
        tour.webhook();
        tour.intentAndDispute();
        tour.proof();
        tour.limit();
    }

    private static void say(String step, Object... members) throws Exception {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("step", step);
        for (int at = 0; at < members.length; at += 2) line.put((String) members[at], members[at + 1]);
        System.out.println(MAPPER.writeValueAsString(line));
    }

    private void rate() throws Exception {
        RatesAnswer rates = fairlead.rates()
                .getRates(APIGetRatesRequest.newBuilder().corridor(CORRIDOR).amount("100").build());
        say("rate", "best", rates.getBest().getAnchorId(), "receive", rates.getQuotes().get(0).getReceiveAmount());
    }

    /** Registers a receiver of its own, has the service send an event to it, and verifies what arrives. */
    private void webhook() throws Exception {
        BlockingQueue<Delivery> arrived = new LinkedBlockingQueue<>();
        int port = Integer.parseInt(env.get("RECEIVER_PORT"));
        HttpServer receiver = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        receiver.createContext("/", exchange -> {
            Delivery delivery = new Delivery(exchange.getRequestBody().readAllBytes(), exchange.getRequestHeaders());
            try {
                Webhooks.with(WEBHOOK_SECRET).verify(delivery.body(), delivery.headers());
                exchange.sendResponseHeaders(204, -1);
                arrived.add(delivery);
            } catch (VerificationException refused) {
                exchange.sendResponseHeaders(401, -1);
            }
            exchange.close();
        });
        receiver.start();
        CreateWebhookBody hook = new CreateWebhookBody()
                .url("http://127.0.0.1:" + port)
                .addEventsItem(EventName.INTENT_SETTLED)
                .secret(WEBHOOK_SECRET);
        String id = fairlead.webhooks().createWebhook(hook).getId();
        fairlead.webhooks().testWebhook(id, new TestWebhookBody());
        Delivery delivery = arrived.poll(60, TimeUnit.SECONDS);
        receiver.stop(0);
        Webhooks webhooks = Webhooks.with(WEBHOOK_SECRET);
        Webhooks.Event event = webhooks.verify(delivery.body(), delivery.headers());
        String text = new String(delivery.body(), StandardCharsets.UTF_8);
        byte[] forged = text.replace("\"amount\":\"", "\"amount\":\"9").getBytes(StandardCharsets.UTF_8);
        boolean refused = isRefused(() -> webhooks.verify(forged, delivery.headers()));
        say("webhook", "event", event.event(), "forgedIsRefused", refused);
    }

    private interface Verification {
        void run() throws VerificationException;
    }

    private static boolean isRefused(Verification verification) {
        try {
            verification.run();
            return false;
        } catch (VerificationException refused) {
            return true;
        }
    }

    private void intentAndDispute() throws Exception {
        String account = env.get("ACCOUNT");
        CreateIntentBody terms = new CreateIntentBody()
                .corridor(CORRIDOR)
                .anchorId(ANCHOR)
                .account(account)
                .sellAmount("100.50")
                .nonce(Intents.newNonce());
        String own = Intents.hash(terms);
        IntentAnswer intent = fairlead.intents().createIntent(terms);
        say("intent", "intentHash", intent.getIntentHash(), "own", own, "callback", intent.getStatusCallbackUrl());

        AttachTransactionBody attachment =
                new AttachTransactionBody().nonce(terms.getNonce()).anchorTransactionId(input.readLine());
        IntentAnswer attached = fairlead.intents().attachTransaction(own, attachment);
        FileDisputeBody dispute = Disputes.sign(own, ANCHOR, "Nothing arrived.", account, env.get("SECRET_KEY"));
        String early = null;
        try {
            fairlead.disputes().fileDispute(dispute);
        } catch (FairleadException refused) {
            early = refused.code().name();
        }
        say("attached", "id", attached.getTransaction().getId(), "early", early);

        input.readLine();
        say("dispute", "status", fairlead.disputes().fileDispute(dispute).getStatus().getValue());
    }

    /** Publishes the scores, as the schedule of a service does, and proves that of one anchor. */
    private void proof() throws Exception {
        List<PublisherKey> keys = List.of(MAPPER.readValue(env.get("PUBLISHER_KEYS"), PublisherKey[].class));
        fairlead.reputation().refreshReputation(APIRefreshReputationRequest.newBuilder().build());
        fairlead.publisher().tickPublisher(APITickPublisherRequest.newBuilder().build());
        EntryProof proof = fairlead.publisher()
                .proveBatchEntry(APIProveBatchEntryRequest.newBuilder()
                        .sequence("1")
                        .anchor(ANCHOR)
                        .corridor(CORRIDOR)
                        .build());
        PublishedCard card = Batches.verifyProof(proof, keys);
        Object sequence = proof.getBatch().getHeader().sequence();
        String anchor = card.as(CardWithSigns.class).getAnchorId();
        proof.setEntry(MAPPER.readValue(card.json().toString().replace(ANCHOR, "squall"), PublishedCard.class));
        boolean refused = isRefused(() -> Batches.verifyProof(proof, keys));
        say("proof", "sequence", sequence, "anchor", anchor, "forgedIsRefused", refused);
    }

    /** Uses up the requests of a window, and waits for the next one. */
    private void limit() throws Exception {
        FairleadException refused = null;
        while (refused == null) {
            try {
                listCorridors(fairlead);
            } catch (FairleadException limited) {
                refused = limited;
            }
        }
        Fairlead patient = Fairlead.at(env.get("FAIRLEAD_URL")).maxWait(Duration.ofSeconds(90)).build();
        boolean waits = refused.retryAfter().orElse(Duration.ZERO).compareTo(Duration.ZERO) > 0;
        say("limited", "code", refused.code(), "waits", waits, "waited", listCorridors(patient) > 0);
    }

    private static int listCorridors(Fairlead fairlead) throws ApiException {
        APIListCorridorsRequest request = APIListCorridorsRequest.newBuilder().build();
        return fairlead.corridors().listCorridors(request).getItems().size();
    }
}
