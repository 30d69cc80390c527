package org.fairlead.client;

import org.fairlead.client.model.FileDisputeBody;

/** Disputes: a signature over the intent hash, as Stellar wallets sign a message (SEP-53). */
public final class Disputes {
    private Disputes() {}

    /**
     * The body of a dispute. The reason is not signed. A wallet that keeps its key to itself signs the intent hash as a
     * message of SEP-53 instead.
     *
     * @param account {@code G…} of the intent, or of the anchor; the JDK does not derive it from the secret key
     * @param secretKey its {@code S…}
     * @throws VerificationException if a key is malformed, or they do not belong together
     */
    public static FileDisputeBody sign(
            String intentHash, String anchorId, String reason, String account, String secretKey)
            throws VerificationException {
        if (!Bytes.isHash(intentHash)) {
            throw new VerificationException("the intent hash must be 64 lower-case hex digits");
        }
        byte[] signature = Ed25519.sign(Strkey.parseSecretKey(secretKey), sep53Hash(intentHash));
        FileDisputeBody dispute = new FileDisputeBody()
                .intentHash(intentHash)
                .publicKey(Strkey.encodeAccount(Strkey.parseAccount(account)))
                .signature(Bytes.base64(signature))
                .anchorId(anchorId)
                .reason(reason);
        if (!isSigned(dispute)) throw new VerificationException("the secret key is another account's");
        return dispute;
    }

    /** Whether the key named in a dispute has signed its intent hash: as SEP-53 does, or the plain text. */
    public static boolean isSigned(FileDisputeBody dispute) {
        String text = dispute.getIntentHash();
        if (!Bytes.isHash(text)) return false;
        byte[] signature = Bytes.fromBase64(dispute.getSignature()).orElse(new byte[0]);
        try {
            byte[] key = Strkey.parseAccount(dispute.getPublicKey());
            return Ed25519.verify(key, sep53Hash(text), signature) || Ed25519.verify(key, Bytes.utf8(text), signature);
        } catch (VerificationException malformedKey) {
            return false;
        }
    }

    static byte[] sep53Hash(String message) {
        return Bytes.sha256(Bytes.utf8("Stellar Signed Message:\n"), Bytes.utf8(message));
    }
}
