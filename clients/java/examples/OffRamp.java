import com.fasterxml.jackson.databind.*;
import java.io.StringReader;
import java.math.*;
import java.net.URI;
import java.net.http.*;
import java.util.*;
import org.fairlead.client.*;
import org.fairlead.client.model.*;
import org.stellar.sdk.*;

/** A whole off-ramp against {@code npm start}. Never pay a second time where it stopped after "paid": look first. */
public final class OffRamp {
    private static final String CORRIDOR = "usdc-ngn", ANCHOR = "harbour", CODE = "USDC", AMOUNT = "100";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static String call(String address, Map<String, String> body, String token) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(address));
        request.headers("Authorization", "Bearer " + token, "Content-Type", "application/json");
        if (body != null) request.POST(HttpRequest.BodyPublishers.ofString(MAPPER.writeValueAsString(body)));
        var answer = HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        return require(answer.statusCode() < 300, address + ": " + answer.body(), answer.body());
    }

    private static <T> T require(boolean holds, String otherwise, T value) {
        if (!holds) throw new IllegalStateException(otherwise);
        return value;
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> env = System.getenv();
        var network = new Network(env.getOrDefault("NETWORK_PASSPHRASE", "Fairlead simulated ledger"));
        var rpc = new SorobanServer(env.getOrDefault("RPC_URL", "http://127.0.0.1:7298/rpc"));
        var service = Fairlead.at(env.getOrDefault("FAIRLEAD_URL", "http://127.0.0.1:8080")).build();
        var keys = KeyPair.random();
        // Register. The hash follows from the terms alone, so it is checked.
        var terms = new CreateIntentBody().corridor(CORRIDOR).anchorId(ANCHOR).sellAmount(AMOUNT);
        terms.account(keys.getAccountId()).nonce(Intents.newNonce());
        IntentAnswer intent = Intents.register(service, terms);
        String hash = intent.getIntentHash(), account = terms.getAccount();
        System.out.println("registered " + hash);
        // SEP-1: where the anchor is. SEP-10: the challenge must be signed by the key that the service knows.
        var anchor = service.anchors().getAnchor(ANCHOR, null);
        var toml = new Properties(); // a program of yours uses a reader of TOML
        toml.load(new StringReader(call(anchor.getHomeDomain() + "/.well-known/stellar.toml", null, "").replace("\"", "")));
        String auth = toml.getProperty("WEB_AUTH_ENDPOINT"), transfer = toml.getProperty("TRANSFER_SERVER_SEP0024");
        String key = anchor.getSigningKey(), domain = URI.create(anchor.getHomeDomain()).getAuthority();
        String given = MAPPER.readTree(call(auth + "?account=" + account, null, "")).get("transaction").asText();
        Transaction challenge = Sep10Challenge.readChallengeTransaction(given, key, network, domain, domain).getTransaction();
        challenge.sign(keys);
        String session = call(auth, Map.of("transaction", challenge.toEnvelopeXdrBase64()), "");
        String token = MAPPER.readTree(session).get("token").asText();
        // SEP-24. The withdrawal is attached before it is paid; the person fills in the anchor's form.
        JsonNode started = MAPPER.readTree(call(transfer + "/transactions/withdraw/interactive", Map.of(
                "asset_code", CODE, "amount", AMOUNT, "destination_asset", "iso4217:NGN", "account", account,
                "on_change_callback", intent.getStatusCallbackUrl()), token));
        var attachment = new AttachTransactionBody().nonce(terms.getNonce()).anchorTransactionId(started.get("id").asText());
        service.intents().attachTransaction(hash, attachment);
        call(started.get("url").asText(), null, ""); // a person opens it in a browser
        String where = transfer + "/transaction?id=" + attachment.getAnchorTransactionId();
        JsonNode record = started;
        for (; !record.path("status").asText().equals("pending_user_transfer_start"); Thread.sleep(1000))
            record = MAPPER.readTree(call(where, null, token)).get("transaction");
        // Pay what was agreed and no more. The service is told of the payment before it is submitted, so that it is found.
        String amount = record.get("amount_in").asText(), payTo = record.get("withdraw_anchor_account").asText();
        require(new BigDecimal(amount).compareTo(new BigDecimal(AMOUNT)) <= 0, "more than was agreed", amount);
        require(record.get("withdraw_memo_type").asText().equals("id"), "another kind of memo", record);
        Transaction payment = new TransactionBuilder(rpc.getAccount(account), network)
                .addOperation(new PaymentOperation.Builder(payTo, Asset.create(CODE + ":" + toml.getProperty("issuer")), amount).build())
                .addMemo(Memo.id(new BigInteger(record.get("withdraw_memo").asText()))).setBaseFee(100).setTimeout(180).build();
        payment.sign(keys);
        service.intents().attachTransaction(hash, attachment.paymentHash(payment.hashHex()));
        System.out.println("paid " + payment.hashHex() + " " + rpc.sendTransaction(payment).getStatus());
        rpc.close();
        // Follow, and dispute what came of it, as if nothing had arrived.
        IntentAnswer seen = Intents.follow(service, hash);
        System.out.println("outcome " + seen.getStatus() + " " + seen.getOutcome().getReason());
        var dispute = Disputes.sign(hash, ANCHOR, "Nothing arrived.", account, String.valueOf(keys.getSecretSeed()));
        System.out.println("dispute " + service.disputes().fileDispute(dispute).getStatus());
    }
}
