package org.fairlead.client;

/** What was checked is not what it claims to be; the message says why. */
public final class VerificationException extends Exception {
    private static final long serialVersionUID = 1L;

    VerificationException(String message) {
        super(message);
    }
}
