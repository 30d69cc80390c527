package org.fairlead.client;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.NamedParameterSpec;
import java.util.Set;

/** Signatures of RFC 8032 by the JDK, and the checks that it leaves out. */
final class Ed25519 {
    private static final BigInteger PRIME = BigInteger.TWO.pow(255).subtract(BigInteger.valueOf(19));

    /** The y coordinates of the points of order 1, 2, 4 and 8: under such a key a signature can be forged. */
    private static final Set<BigInteger> SMALL_ORDER = Set.of(
            BigInteger.ZERO,
            BigInteger.ONE,
            PRIME.subtract(BigInteger.ONE),
            new BigInteger("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16),
            new BigInteger("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16));

    private Ed25519() {}

    static byte[] sign(byte[] seed, byte[] message) {
        try {
            KeyFactory keys = KeyFactory.getInstance("Ed25519");
            Signature signer = Signature.getInstance("Ed25519");
            signer.initSign(keys.generatePrivate(new EdECPrivateKeySpec(NamedParameterSpec.ED25519, seed)));
            signer.update(message);
            return signer.sign();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible); // Every Java since 15 has Ed25519.
        }
    }

    /** Strict: canonical points, no key of small order. Anything malformed is false. */
    static boolean verify(byte[] key, byte[] message, byte[] signature) {
        if (!isUsable(key) || signature.length != 64 || yOf(signature).compareTo(PRIME) >= 0) return false;
        try {
            EdECPoint point = new EdECPoint((key[31] & 0x80) != 0, yOf(key));
            KeyFactory keys = KeyFactory.getInstance("Ed25519");
            Signature verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(keys.generatePublic(new EdECPublicKeySpec(NamedParameterSpec.ED25519, point)));
            verifier.update(message);
            return verifier.verify(signature);
        } catch (InvalidKeySpecException | SignatureException | InvalidKeyException malformed) {
            return false;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static boolean isUsable(byte[] key) {
        return key.length == 32 && yOf(key).compareTo(PRIME) < 0 && !SMALL_ORDER.contains(yOf(key));
    }

    /** The first 32 bytes, little-endian, without the sign bit. */
    private static BigInteger yOf(byte[] encoded) {
        byte[] bigEndian = new byte[32];
        for (int at = 0; at < 32; at++) bigEndian[at] = encoded[31 - at];
        bigEndian[0] &= 0x7f;
        return new BigInteger(1, bigEndian);
    }
}
