package org.fairlead.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** Adds keys, waits out what the service asks to wait, and throws what is not a success. */
final class PatientHttpClient extends HttpClient {
    private static final int MAX_ERROR_BYTES = 1 << 20;

    private final HttpClient plain;
    private final Keys keys;
    private final Duration timeout;
    private final int maxRetries;
    private final Duration maxWait;

    PatientHttpClient(HttpClient plain, Keys keys, Duration timeout, int maxRetries, Duration maxWait) {
        this.plain = plain;
        this.keys = keys;
        this.timeout = timeout;
        this.maxRetries = maxRetries;
        this.maxWait = maxWait;
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
            throws IOException, InterruptedException {
        HttpRequest withKeys = keys.addTo(request);
        for (int attempt = 0; ; attempt++) {
            long began = System.nanoTime();
            HttpResponse<T> response = plain.send(withKeys, handler);
            closeAfter(timeout.minusNanos(System.nanoTime() - began), (InputStream) response.body());
            if (isSuccess(response)) return response;
            FairleadException failure = FairleadException.of(response.statusCode(), response.headers(), bodyOf(response));
            Duration wait = failure.retryAfter().orElse(null);
            boolean asked = (failure.status() == 429 || failure.status() == 503) && request.method().equals("GET");
            if (!asked || wait == null || attempt >= maxRetries || wait.compareTo(maxWait) > 0) throw failure;
            Thread.sleep(wait.toMillis());
        }
    }

    private static boolean isSuccess(HttpResponse<?> response) {
        return response.statusCode() / 100 == 2 && FairleadException.isJson(response.headers());
    }

    /** Ends an answer that does not end. The JDK's own limit holds until an answer begins. */
    private static void closeAfter(Duration rest, InputStream body) {
        CompletableFuture.delayedExecutor(Math.max(0, rest.toMillis()), TimeUnit.MILLISECONDS).execute(() -> {
            try {
                body.close();
            } catch (IOException closed) {
                // Whoever reads it is told.
            }
        });
    }

    /** The generated code always asks for a stream. */
    private static byte[] bodyOf(HttpResponse<?> response) throws IOException {
        try (InputStream body = (InputStream) response.body()) {
            return body.readNBytes(MAX_ERROR_BYTES);
        }
    }

    // The generated code sends as above and no other way.

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, HttpResponse.BodyHandler<T> handler, HttpResponse.PushPromiseHandler<T> pushHandler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
        return plain.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return plain.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
        return plain.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
        return plain.proxy();
    }

    @Override
    public SSLContext sslContext() {
        return plain.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
        return plain.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
        return plain.authenticator();
    }

    @Override
    public Version version() {
        return plain.version();
    }

    @Override
    public Optional<Executor> executor() {
        return plain.executor();
    }
}
