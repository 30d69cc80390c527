package org.fairlead.client;

import java.util.Arrays;
import java.util.HexFormat;

/** Stellar keys as text, SEP-23: a version byte, 32 bytes, and CRC-16/XMODEM in little-endian, in base32. */
public final class Strkey {
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int ACCOUNT = 6 << 3;
    private static final int SEED = 18 << 3;
    private static final int TEXT_LENGTH = 56;

    private Strkey() {}

    /** 32 bytes of a public key → {@code G…}. */
    public static String encodeAccount(byte[] key) {
        return encode(ACCOUNT, key);
    }

    /** {@code G…} or 64 hex digits → the 32 bytes of the key. */
    public static byte[] parseAccount(String text) throws VerificationException {
        if (text != null && text.matches("[0-9a-fA-F]{64}")) return HexFormat.of().parseHex(text);
        return decode(ACCOUNT, text);
    }

    /** {@code S…} → the 32 bytes of the seed. */
    static byte[] parseSecretKey(String text) throws VerificationException {
        return decode(SEED, text);
    }

    private static String encode(int version, byte[] payload) {
        if (payload.length != 32) throw new IllegalArgumentException("a key has 32 bytes");
        byte[] versioned = Bytes.concat(new byte[] {(byte) version}, payload);
        int crc = crc16(versioned);
        byte[] whole = Bytes.concat(versioned, new byte[] {(byte) crc, (byte) (crc >> 8)});
        StringBuilder text = new StringBuilder();
        int buffer = 0;
        int bits = 0;
        for (byte each : whole) {
            buffer = (buffer << 8 | each & 0xff) & 0xffff;
            for (bits += 8; bits >= 5; bits -= 5) text.append(ALPHABET.charAt(buffer >> bits - 5 & 31));
        }
        return text.toString();
    }

    private static byte[] decode(int version, String text) throws VerificationException {
        if (text == null || text.length() != TEXT_LENGTH) throw new VerificationException("a Stellar key has 56 characters");
        byte[] whole = new byte[35];
        int buffer = 0;
        int bits = 0;
        int at = 0;
        for (char character : text.toCharArray()) {
            int value = ALPHABET.indexOf(character);
            if (value < 0) throw new VerificationException("a Stellar key is written in base32");
            buffer = (buffer << 5 | value) & 0xffff;
            bits += 5;
            if (bits >= 8) {
                bits -= 8;
                whole[at++] = (byte) (buffer >> bits);
            }
        }
        byte[] payload = Arrays.copyOfRange(whole, 1, 33);
        // One key has one spelling: this compares version and checksum at once.
        if (!encode(version, payload).equals(text)) {
            throw new VerificationException("the wrong kind of Stellar key, or a wrong checksum");
        }
        return payload;
    }

    private static int crc16(byte[] bytes) {
        int crc = 0;
        for (byte each : bytes) {
            crc ^= (each & 0xff) << 8;
            for (int bit = 0; bit < 8; bit++) crc = ((crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ 0x1021) & 0xffff;
        }
        return crc;
    }
}
