package fairlead

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"regexp"
	"strings"
	"time"
)

var (
	decimal  = regexp.MustCompile(`^(0|[1-9]\d*)(\.\d+)?$`)
	instant  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)
	hashText = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// NewNonce makes 192 random bits as 32 of [A-Za-z0-9_-]. Keep it like a password: whoever knows it may attach a
// transaction to the intent.
func NewNonce() string {
	random := make([]byte, 24)
	_, _ = rand.Read(random) // It never fails: it ends the program instead.
	return base64.RawURLEncoding.EncodeToString(random)
}

// CanonicalIntent is the text that is hashed: the RFC 8785 form of the terms, without AnchorTransactionID, which is
// none of them.
func CanonicalIntent(terms CreateIntentBody) (string, error) {
	account, _, err := ParseAccount(terms.Account)
	if err != nil {
		return "", err
	}
	sell, err := withoutTrailingZeros(terms.SellAmount)
	if err != nil {
		return "", err
	}
	members := map[string]any{
		"type":       "fairlead.intent.v1",
		"corridor":   strings.ToLower(terms.Corridor),
		"anchorId":   strings.ToLower(terms.AnchorID),
		"account":    account,
		"sellAmount": sell,
		"nonce":      terms.Nonce,
	}
	if terms.MinReceive != nil {
		if members["minReceive"], err = withoutTrailingZeros(*terms.MinReceive); err != nil {
			return "", err
		}
	}
	if terms.DeliveryMethod != nil {
		members["deliveryMethod"] = *terms.DeliveryMethod
	}
	if terms.ExpiresAt != nil {
		if members["expiresAt"], err = inUTC(*terms.ExpiresAt); err != nil {
			return "", err
		}
	}
	return string(canonical(nil, members)), nil
}

// IntentHash is the identity of an intent: what the service answers for these terms must be the same.
func IntentHash(terms CreateIntentBody) (string, error) {
	text, err := CanonicalIntent(terms)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:]), nil
}

func withoutTrailingZeros(amount string) (string, error) {
	if len(amount) > 64 || !decimal.MatchString(amount) {
		return "", errors.New("an amount must be a decimal string without sign, exponent or leading zeros")
	}
	if strings.Contains(amount, ".") {
		amount = strings.TrimRight(strings.TrimRight(amount, "0"), ".")
	}
	return amount, nil
}

// inUTC writes milliseconds and Z; what is finer is cut off.
func inUTC(text string) (string, error) {
	parsed, err := time.Parse(time.RFC3339Nano, text)
	utc := parsed.UTC()
	if err != nil || !instant.MatchString(text) || utc.Year() < 0 || utc.Year() > 9999 {
		return "", errors.New("expiresAt must be an ISO 8601 instant that exists")
	}
	return utc.Format("2006-01-02T15:04:05.000Z"), nil
}

// SignDispute makes the body of a dispute, signed with the key of the intent's account or of the anchor. A wallet that
// keeps its key to itself signs the intent hash as a message of SEP-53 instead. The reason is not signed.
func SignDispute(intentHash, anchorID, reason string, key ed25519.PrivateKey) (FileDisputeBody, error) {
	if !hashText.MatchString(intentHash) {
		return FileDisputeBody{}, errors.New("the intent hash must be 64 lower-case hex digits")
	}
	signature := ed25519.Sign(key, SEP53Hash(intentHash))
	return FileDisputeBody{
		IntentHash: intentHash,
		PublicKey:  EncodeAccount(key.Public().(ed25519.PublicKey)),
		Signature:  base64.StdEncoding.EncodeToString(signature),
		AnchorID:   anchorID,
		Reason:     reason,
	}, nil
}

// VerifyDispute says whether the key named in a dispute has signed its intent hash: as SEP-53 does, or the plain text.
func VerifyDispute(dispute FileDisputeBody) bool {
	_, key, err := ParseAccount(dispute.PublicKey)
	signature, spelled := decodeSignature(dispute.Signature)
	if err != nil || !spelled || !hashText.MatchString(dispute.IntentHash) {
		return false
	}
	return verifyEd25519(key, SEP53Hash(dispute.IntentHash), signature) ||
		verifyEd25519(key, []byte(dispute.IntentHash), signature)
}

// SEP53Hash is what a Stellar wallet signs of a message.
func SEP53Hash(message string) []byte {
	digest := sha256.Sum256([]byte("Stellar Signed Message:\n" + message))
	return digest[:]
}
