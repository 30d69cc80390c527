package org.fairlead.client;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/** Text and bytes. Decoders are strict: one value has one spelling. */
final class Bytes {
    private Bytes() {}

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** 64 lower-case hex digits. */
    static boolean isHash(String text) {
        return text != null && text.matches("[0-9a-f]{64}");
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    static Optional<byte[]> fromBase64(String text) {
        if (text == null) return Optional.empty();
        try {
            byte[] bytes = Base64.getDecoder().decode(text);
            return base64(bytes).equals(text) ? Optional.of(bytes) : Optional.empty();
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }

    static byte[] concat(byte[]... parts) {
        byte[] whole = new byte[Arrays.stream(parts).mapToInt(part -> part.length).sum()];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, whole, at, part.length);
            at += part.length;
        }
        return whole;
    }

    static byte[] sha256(byte[]... parts) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(concat(parts));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible); // Every Java has SHA-256.
        }
    }
}
