import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.*;
import java.util.Map;
import java.util.regex.Pattern;
import org.fairlead.client.*;
import org.fairlead.client.model.*;
import org.stellar.sdk.*;

/** A whole off-ramp against {@code npm start}. Never pay a second time where it stopped after "paid": look first. */
public final class OffRamp {
    private static final String CORRIDOR = "usdc-ngn", ANCHOR = "harbour", CODE = "USDC", AMOUNT = "100";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static String call(String address, Map<String, String> body, String token) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(address)).header("Authorization", "Bearer " + token);
        if (body != null) request.POST(HttpRequest.BodyPublishers.ofString(MAPPER.writeValueAsString(body)));
        if (body != null) request.header("Content-Type", "application/json");
        var answer = HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        return require(answer.statusCode() < 300, address + ": " + answer.body(), answer.body());
    }

    private static <T> T require(boolean holds, String otherwise, T value) {
        if (!holds) throw new IllegalStateException(otherwise);
        return value;
    }

    /** A text of a stellar.toml; a program of yours uses a reader of TOML. */
    private static String of(String toml, String name) {
        var found = Pattern.compile("^" + name + " *= *\"(.*)\"", Pattern.MULTILINE).matcher(toml);
        return require(found.find(), "the stellar.toml has no " + name, found).group(1);
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> env = System.getenv();
        var network = new Network(env.getOrDefault("NETWORK_PASSPHRASE", "Fairlead simulated ledger"));
        var rpc = new SorobanServer(env.getOrDefault("RPC_URL", "http://127.0.0.1:7298/rpc"));
        var service = Fairlead.at(env.getOrDefault("FAIRLEAD_URL", "http://127.0.0.1:8080")).build();
        var keys = KeyPair.random();
        String account = keys.getAccountId();
        // Register. The hash follows from the terms alone, so it can be checked.
        var terms = new CreateIntentBody().corridor(CORRIDOR).anchorId(ANCHOR).account(account).sellAmount(AMOUNT);
        terms.setNonce(Intents.newNonce());
        String hash = Intents.hash(terms);
        IntentAnswer intent = service.intents().createIntent(terms);
        System.out.println("registered " + require(intent.getIntentHash().equals(hash), "other terms were registered", hash));
        // SEP-1: where the anchor is, and whether its key is the one that the service knows. Then SEP-10.
        var anchor = service.anchors().getAnchor(ANCHOR, null);
        String toml = call(anchor.getHomeDomain() + "/.well-known/stellar.toml", null, "");
        String auth = of(toml, "WEB_AUTH_ENDPOINT"), transfer = of(toml, "TRANSFER_SERVER_SEP0024");
        String key = require(of(toml, "SIGNING_KEY").equals(anchor.getSigningKey()), "another key", anchor.getSigningKey());
        String domain = URI.create(anchor.getHomeDomain()).getAuthority();
        String given = MAPPER.readTree(call(auth + "?account=" + account, null, "")).get("transaction").asText();
        Transaction challenge = Sep10Challenge.readChallengeTransaction(given, key, network, domain, domain).getTransaction();
        challenge.sign(keys);
        Map<String, String> signed = Map.of("transaction", challenge.toEnvelopeXdrBase64());
        String token = MAPPER.readTree(call(auth, signed, "")).get("token").asText();
        // SEP-24. The withdrawal is attached before it is paid; the person fills in the anchor's form.
        JsonNode started = MAPPER.readTree(call(transfer + "/transactions/withdraw/interactive", Map.of(
                "asset_code", CODE, "amount", AMOUNT, "destination_asset", "iso4217:NGN", "account", account,
                "on_change_callback", intent.getStatusCallbackUrl()), token));
        String id = started.get("id").asText();
        var attachment = new AttachTransactionBody().nonce(terms.getNonce());
        service.intents().attachTransaction(hash, attachment.anchorTransactionId(id));
        call(started.get("url").asText(), null, ""); // a person opens it in a browser
        JsonNode record;
        do {
            Thread.sleep(1000);
            record = MAPPER.readTree(call(transfer + "/transaction?id=" + id, null, token)).get("transaction");
        } while (!record.get("status").asText().equals("pending_user_transfer_start"));
        // Pay what was agreed and no more. The service is told of the payment before it is submitted, so that it is found.
        String amount = record.get("amount_in").asText(), payTo = record.get("withdraw_anchor_account").asText();
        require(new BigDecimal(amount).compareTo(new BigDecimal(AMOUNT)) <= 0, "more than was agreed", amount);
        require(record.get("withdraw_memo_type").asText().equals("id"), "another kind of memo", record);
        Transaction payment = new TransactionBuilder(rpc.getAccount(account), network)
                .addOperation(new PaymentOperation.Builder(payTo, Asset.create(CODE + ":" + of(toml, "issuer")), amount).build())
                .addMemo(Memo.id(new BigInteger(record.get("withdraw_memo").asText()))).setBaseFee(100).setTimeout(180).build();
        payment.sign(keys);
        service.intents().attachTransaction(hash, attachment.anchorTransactionId(null).paymentHash(payment.hashHex()));
        System.out.println("paid " + payment.hashHex() + " " + rpc.sendTransaction(payment).getStatus());
        rpc.close();
        // Follow, and dispute what came of it, as if nothing had arrived.
        IntentAnswer seen = service.intents().getIntent(hash);
        for (; seen.getStatus().toString().equals("pending"); seen = service.intents().getIntent(hash)) Thread.sleep(2000);
        System.out.println("outcome " + seen.getStatus() + " " + seen.getOutcome().getReason());
        var dispute = Disputes.sign(hash, ANCHOR, "Nothing arrived.", account, String.valueOf(keys.getSecretSeed()));
        System.out.println("dispute " + service.disputes().fileDispute(dispute).getStatus());
    }
}
