import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.regex.Pattern;
import org.fairlead.client.Disputes;
import org.fairlead.client.Fairlead;
import org.fairlead.client.Intents;
import org.fairlead.client.model.AttachTransactionBody;
import org.fairlead.client.model.CreateIntentBody;
import org.fairlead.client.model.IntentAnswer;
import org.stellar.sdk.Asset;
import org.stellar.sdk.KeyPair;
import org.stellar.sdk.Memo;
import org.stellar.sdk.Network;
import org.stellar.sdk.PaymentOperation;
import org.stellar.sdk.Sep10Challenge;
import org.stellar.sdk.SorobanServer;
import org.stellar.sdk.Transaction;
import org.stellar.sdk.TransactionBuilder;

/**
 * A whole off-ramp against {@code npm start}: register, SEP-10, SEP-24, pay, follow, dispute. Never pay a second time where it
 * stopped after "paid": look first.
 */
public final class OffRamp {
    private static final String CORRIDOR = "usdc-ngn", ANCHOR = "harbour", CODE = "USDC", AMOUNT = "100";
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static String call(String address, Map<String, String> body, String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address)).header("Authorization", "Bearer " + token);
        if (body != null) {
            request.header("Content-Type", "application/json");
            request.POST(HttpRequest.BodyPublishers.ofString(MAPPER.writeValueAsString(body)));
        }
        HttpResponse<String> answer = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300) throw new IllegalStateException(address + ": " + answer.body());
        return answer.body();
    }

    /** A text of a stellar.toml; a program of yours uses a reader of TOML. */
    private static String of(String toml, String name) {
        var found = Pattern.compile("^" + name + " *= *\"(.*)\"", Pattern.MULTILINE).matcher(toml);
        if (!found.find()) throw new IllegalStateException("the stellar.toml has no " + name);
        return found.group(1);
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> env = System.getenv();
        Network network = new Network(env.get("NETWORK_PASSPHRASE"));
        KeyPair keys = KeyPair.random();
        Fairlead service = Fairlead.at(env.get("FAIRLEAD_URL")).build();

        // Register. The hash follows from the terms alone, so it can be checked.
        CreateIntentBody terms = new CreateIntentBody()
                .corridor(CORRIDOR).anchorId(ANCHOR).account(keys.getAccountId()).sellAmount(AMOUNT).nonce(Intents.newNonce());
        String hash = Intents.hash(terms);
        IntentAnswer intent = service.intents().createIntent(terms);
        if (!intent.getIntentHash().equals(hash)) throw new IllegalStateException("the service registered other terms");
        System.out.println("registered " + hash);

        // SEP-1: where the anchor is, and whether its key is the one that the service knows. Then SEP-10.
        var anchor = service.anchors().getAnchor(ANCHOR, null);
        String toml = call(anchor.getHomeDomain() + "/.well-known/stellar.toml", null, "");
        String auth = of(toml, "WEB_AUTH_ENDPOINT"), transfer = of(toml, "TRANSFER_SERVER_SEP0024");
        if (!of(toml, "SIGNING_KEY").equals(anchor.getSigningKey())) throw new IllegalStateException("another key");
        String domain = URI.create(anchor.getHomeDomain()).getAuthority();
        String given = MAPPER.readTree(call(auth + "?account=" + keys.getAccountId(), null, "")).get("transaction").asText();
        Transaction challenge = Sep10Challenge.readChallengeTransaction(given, anchor.getSigningKey(), network, domain, domain)
                .getTransaction();
        challenge.sign(keys);
        Map<String, String> signed = Map.of("transaction", challenge.toEnvelopeXdrBase64());
        String token = MAPPER.readTree(call(auth, signed, "")).get("token").asText();

        // SEP-24. The withdrawal is attached before it is paid; the person fills in the anchor's form.
        JsonNode started = MAPPER.readTree(call(transfer + "/transactions/withdraw/interactive", Map.of(
                "asset_code", CODE, "amount", AMOUNT, "destination_asset", "iso4217:NGN", "account", keys.getAccountId(),
                "on_change_callback", intent.getStatusCallbackUrl()), token));
        String id = started.get("id").asText();
        AttachTransactionBody attachment = new AttachTransactionBody().nonce(terms.getNonce());
        service.intents().attachTransaction(hash, attachment.anchorTransactionId(id));
        call(started.get("url").asText(), null, ""); // a person opens it in a browser
        JsonNode record;
        do {
            Thread.sleep(1000);
            record = MAPPER.readTree(call(transfer + "/transaction?id=" + id, null, token)).get("transaction");
        } while (!record.get("status").asText().equals("pending_user_transfer_start"));

        // Pay what was agreed and no more. The service is told of the payment before it is submitted, so that it is found.
        boolean isAgreed = new BigDecimal(record.get("amount_in").asText()).compareTo(new BigDecimal(AMOUNT)) <= 0;
        if (!isAgreed || !record.get("withdraw_memo_type").asText().equals("id")) throw new IllegalStateException("not agreed");
        SorobanServer rpc = new SorobanServer(env.get("RPC_URL"));
        Transaction payment = new TransactionBuilder(rpc.getAccount(keys.getAccountId()), network)
                .addOperation(new PaymentOperation.Builder(record.get("withdraw_anchor_account").asText(),
                        Asset.create(CODE + ":" + of(toml, "issuer")), record.get("amount_in").asText()).build())
                .addMemo(Memo.id(new BigInteger(record.get("withdraw_memo").asText())))
                .setBaseFee(100).setTimeout(180).build();
        payment.sign(keys);
        service.intents().attachTransaction(hash, attachment.anchorTransactionId(null).paymentHash(payment.hashHex()));
        System.out.println("paid " + payment.hashHex() + " " + rpc.sendTransaction(payment).getStatus());
        rpc.close();

        // Follow, and dispute what came of it, as if nothing had arrived.
        IntentAnswer seen = service.intents().getIntent(hash);
        for (; seen.getStatus().toString().equals("pending"); seen = service.intents().getIntent(hash)) Thread.sleep(2000);
        System.out.println("outcome " + seen.getStatus() + " " + seen.getOutcome().getReason());
        var dispute = Disputes.sign(hash, ANCHOR, "Nothing arrived.", keys.getAccountId(), String.valueOf(keys.getSecretSeed()));
        System.out.println("dispute " + service.disputes().fileDispute(dispute).getStatus());
    }
}
