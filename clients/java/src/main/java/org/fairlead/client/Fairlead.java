package org.fairlead.client;

import java.net.http.HttpClient;
import java.time.Duration;
import org.fairlead.client.api.AdminApi;
import org.fairlead.client.api.AnchorsApi;
import org.fairlead.client.api.CorridorsApi;
import org.fairlead.client.api.DisputesApi;
import org.fairlead.client.api.IntentsApi;
import org.fairlead.client.api.PublisherApi;
import org.fairlead.client.api.RatesApi;
import org.fairlead.client.api.ReputationApi;
import org.fairlead.client.api.WebhooksApi;
import org.fairlead.client.rest.ApiClient;

/**
 * A client of the service at one address; it may be shared by threads. Every answer that is not a success is thrown as a
 * {@link FairleadException}, so is a 304, which answers an {@code If-None-Match}; {@code ApiException} says that there was no
 * answer, or none that can be read. The methods take JSON alone.
 */
public final class Fairlead {
    /** Of the contract that this client was generated from. */
    public static final String VERSION = "2.3.0-alpha";

    private final ApiClient connection;

    private Fairlead(ApiClient connection) {
        this.connection = connection;
    }

    /** For example {@code Fairlead.at("https://fairlead.example").build()}. */
    public static Builder at(String baseUrl) {
        return new Builder(baseUrl);
    }

    public RatesApi rates() {
        return new RatesApi(connection);
    }

    public CorridorsApi corridors() {
        return new CorridorsApi(connection);
    }

    public AnchorsApi anchors() {
        return new AnchorsApi(connection);
    }

    public IntentsApi intents() {
        return new IntentsApi(connection);
    }

    public DisputesApi disputes() {
        return new DisputesApi(connection);
    }

    public ReputationApi reputation() {
        return new ReputationApi(connection);
    }

    public PublisherApi publisher() {
        return new PublisherApi(connection);
    }

    public WebhooksApi webhooks() {
        return new WebhooksApi(connection);
    }

    public AdminApi admin() {
        return new AdminApi(connection);
    }

    /** How the client behaves; every setting has a default. */
    public static final class Builder {
        private final String baseUrl;
        private Duration timeout = Duration.ofSeconds(15);
        private int maxRetries = 2;
        private Duration maxWait = Duration.ofSeconds(10);
        private String userAgent = "";
        private String adminKey;
        private String cronSecret;

        private Builder(String baseUrl) {
            this.baseUrl = baseUrl.replaceFirst("/+$", "");
        }

        /** Of one attempt, until the answer has arrived whole; 15 s. */
        public Builder timeout(Duration value) {
            timeout = value;
            return this;
        }

        /** How often a GET that is answered 429 or 503 is sent again; 2. */
        public Builder maxRetries(int value) {
            maxRetries = value;
            return this;
        }

        /** The longest {@code Retry-After} that is waited out; 10 s. */
        public Builder maxWait(Duration value) {
            maxWait = value;
            return this;
        }

        /** Stands before the client's own name. */
        public Builder userAgent(String value) {
            userAgent = value + " ";
            return this;
        }

        /** Sent with the operations that take it and with no others. */
        public Builder adminKey(String value) {
            adminKey = value;
            return this;
        }

        /** Sent with the operations that take it and with no others. */
        public Builder cronSecret(String value) {
            cronSecret = value;
            return this;
        }

        public Fairlead build() {
            HttpClient.Builder plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(timeout);
            Keys keys = new Keys(userAgent + "fairlead-java/" + VERSION, adminKey, cronSecret);
            HttpClient patient = new PatientHttpClient(plain.build(), keys, timeout, maxRetries, maxWait);
            ApiClient connection = new ApiClient(plain, new BodyMapper(), baseUrl) {
                @Override
                public HttpClient getHttpClient() {
                    return patient;
                }
            };
            connection.setReadTimeout(timeout);
            return new Fairlead(connection);
        }
    }
}
