package org.fairlead.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Canonical JSON, RFC 8785, for values whose numbers are integers below 2^53. */
public final class CanonicalJson {
    private static final int MAX_DEPTH = 32; // Of arrays and objects in one another.
    private static final long MAX_SAFE_INTEGER = (1L << 53) - 1;

    private CanonicalJson() {}

    /** The canonical text, to be hashed as UTF-8. */
    public static String of(JsonNode value) throws VerificationException {
        StringBuilder to = new StringBuilder();
        write(value, to, 0);
        return to.toString();
    }

    private static void write(JsonNode value, StringBuilder to, int depth) throws VerificationException {
        if (value.isContainerNode() && depth >= MAX_DEPTH) throw new VerificationException("the JSON is nested too deeply");
        switch (value.getNodeType()) {
            case NULL, BOOLEAN -> to.append(value.asText());
            case STRING -> writeString(value.textValue(), to);
            case NUMBER -> writeInteger(value, to);
            case ARRAY -> {
                String separator = "[";
                for (JsonNode item : value) {
                    to.append(separator);
                    write(item, to, depth + 1);
                    separator = ",";
                }
                to.append(value.isEmpty() ? "[]" : "]");
            }
            case OBJECT -> {
                // String compares by UTF-16 code units, as RFC 8785 section 3.2.3 sorts.
                List<String> names = new ArrayList<>();
                value.fieldNames().forEachRemaining(names::add);
                names.sort(null);
                String separator = "{";
                for (String name : names) {
                    to.append(separator);
                    writeString(name, to);
                    to.append(':');
                    write(value.get(name), to, depth + 1);
                    separator = ",";
                }
                to.append(value.isEmpty() ? "{}" : "}");
            }
            default -> throw new VerificationException("a value that JSON cannot hold");
        }
    }

    private static void writeInteger(JsonNode value, StringBuilder to) throws VerificationException {
        boolean isSafe = value.isIntegralNumber() && value.canConvertToLong();
        // Not by Math.abs, which leaves the least long negative.
        if (!isSafe || value.longValue() > MAX_SAFE_INTEGER || value.longValue() < -MAX_SAFE_INTEGER) {
            throw new VerificationException(value + " is not an integer below 2^53");
        }
        to.append(value.longValue());
    }

    private static void writeString(String text, StringBuilder to) throws VerificationException {
        to.append('"');
        for (int at = 0; at < text.length(); at++) {
            char character = text.charAt(at);
            switch (character) {
                case '"', '\\' -> to.append('\\').append(character);
                case '\b' -> to.append("\\b");
                case '\t' -> to.append("\\t");
                case '\n' -> to.append("\\n");
                case '\f' -> to.append("\\f");
                case '\r' -> to.append("\\r");
                default -> {
                    if (character < 0x20) to.append(String.format("\\u%04x", (int) character));
                    else to.append(character);
                }
            }
            if (Character.isSurrogate(character)) {
                int next = at + 1;
                boolean isPair = next < text.length() && Character.isSurrogatePair(character, text.charAt(next));
                if (!isPair) throw new VerificationException("the JSON holds a lone surrogate");
                to.append(text.charAt(next));
                at = next;
            }
        }
        to.append('"');
    }
}
