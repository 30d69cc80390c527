package org.fairlead.client;

import java.net.http.HttpRequest;
import java.util.Set;

/** What is added to a request: who asks, and the key of the operations that take one. */
record Keys(String userAgent, String adminKey, String cronSecret) {
    private static final Set<String> SCHEDULED = Set.of(
            "/api/observations/round",
            "/api/publisher/tick",
            "/api/reputation/reconcile",
            "/api/reputation/refresh");

    HttpRequest addTo(HttpRequest request) {
        String path = request.uri().getPath();
        HttpRequest.Builder copy = HttpRequest.newBuilder(request, (name, value) -> true)
                .setHeader("User-Agent", userAgent)
                // The generated methods read JSON alone, and ask for all that the document lists.
                .setHeader("Accept", "application/json");
        if (adminKey != null && path.contains("/api/admin/")) copy.setHeader("X-Admin-Key", adminKey);
        boolean isScheduled = request.method().equals("POST") && SCHEDULED.stream().anyMatch(path::endsWith);
        if (cronSecret != null && isScheduled) copy.setHeader("Authorization", "Bearer " + cronSecret);
        return copy.build();
    }
}
