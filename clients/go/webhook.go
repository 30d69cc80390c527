package fairlead

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	defaultTolerance     = 5 * time.Minute
	maxWebhookSignatures = 10
)

// ErrWebhook is wrapped by every refusal of [VerifyWebhook]: answer 401 and do nothing.
var ErrWebhook = errors.New("fairlead: not a delivery of this service")

func refuseWebhook(why string) error { return errors.Join(ErrWebhook, errors.New(why)) }

// WebhookEvent is a delivery that was verified. Deliveries come at least once: do nothing for an ID seen before.
type WebhookEvent struct {
	ID        string          `json:"id"`
	Event     EventName       `json:"event"`
	CreatedAt string          `json:"createdAt"`
	Data      json.RawMessage `json:"data"`
}

// WebhookOptions say what a delivery is held against; a zero member but Secrets has its default.
type WebhookOptions struct {
	// Secrets registered for this receiver: during a rotation the new and the old one.
	Secrets []string
	// Tolerance is how far webhook-timestamp may be from now, either way; 5 minutes.
	Tolerance time.Duration
	// Now replaces the clock, for tests.
	Now time.Time
	// TimestampOptional lets a delivery without any of the Standard Webhooks headers pass. They alone carry a time, and the
	// service always sends them: without them a delivery that was recorded can be sent again for ever.
	TimestampOptional bool
}

// VerifyWebhook checks a delivery, of which body is exactly what arrived, and reads it. An error wraps [ErrWebhook].
// The data is authentic but not validated, and a newer service may send events and members that are not known here.
func VerifyWebhook(body []byte, header http.Header, options WebhookOptions) (*WebhookEvent, error) {
	// Anyone can sign with an empty secret, as a variable gives that was never set.
	if len(options.Secrets) == 0 || slices.Contains(options.Secrets, "") {
		return nil, errors.New("fairlead: there is no secret to verify with")
	}
	if !anySecret(options.Secrets, func(secret string) bool {
		expected := hex.EncodeToString(sign([]byte(secret), body))
		return hmac.Equal([]byte(only(header, "X-Fairlead-Signature")), []byte(expected))
	}) {
		return nil, refuseWebhook("X-Fairlead-Signature is missing or does not match the body")
	}
	if err := checkStandard(body, header, options); err != nil {
		return nil, err
	}
	var event WebhookEvent
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, refuseWebhook("the body is not an event")
	}
	if event.ID == "" || event.Event == "" || event.CreatedAt == "" || len(event.Data) == 0 || event.Data[0] != '{' {
		return nil, refuseWebhook("the body is not an event")
	}
	return &event, nil
}

// checkStandard checks the three headers of Standard Webhooks.
func checkStandard(body []byte, header http.Header, options WebhookOptions) error {
	names := []string{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"}
	isSent := func(name string) bool { return len(header.Values(name)) > 0 }
	if options.TimestampOptional && !slices.ContainsFunc(names, isSent) {
		return nil
	}
	id, timestamp, signatures := only(header, names[0]), only(header, names[1]), only(header, names[2])
	if id == "" || timestamp == "" || signatures == "" {
		return refuseWebhook("one of the three webhook- headers is missing, or sent twice")
	}
	if !timestampText.MatchString(timestamp) {
		return refuseWebhook("webhook-timestamp is not a time in seconds")
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	now, tolerance := options.Now, options.Tolerance
	if now.IsZero() {
		now = time.Now()
	}
	if tolerance == 0 {
		tolerance = defaultTolerance
	}
	if now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return refuseWebhook("webhook-timestamp is too far from now")
	}
	signed := append([]byte(id+"."+timestamp+"."), body...)
	given := strings.Split(signatures, " ")
	if len(given) > maxWebhookSignatures {
		given = given[:maxWebhookSignatures]
	}
	if !anySecret(options.Secrets, func(secret string) bool {
		expected := "v1," + base64.StdEncoding.EncodeToString(sign(standardKey(secret), signed))
		return anySecret(given, func(one string) bool { return hmac.Equal([]byte(one), []byte(expected)) })
	}) {
		return refuseWebhook("webhook-signature holds no matching signature")
	}
	return nil
}

func sign(key, message []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(message)
	return mac.Sum(nil)
}

// only is empty where the header is missing or sent twice: the second value could be another reader's.
func only(header http.Header, name string) string {
	if values := header.Values(name); len(values) == 1 {
		return values[0]
	}
	return ""
}

// anySecret tries all of them, so that the time does not tell which one holds.
func anySecret(texts []string, holds func(string) bool) bool {
	found := false
	for _, text := range texts {
		found = holds(text) || found
	}
	return found
}

var timestampText = regexp.MustCompile(`^[0-9]{1,12}$`)

var standardSecret = regexp.MustCompile(`^whsec_[A-Za-z0-9+/]+={0,2}$`)

// StandardSecret is the secret as libraries of Standard Webhooks take it.
func StandardSecret(secret string) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(standardKey(secret))
}

func standardKey(secret string) []byte {
	if standardSecret.MatchString(secret) {
		text := strings.TrimPrefix(secret, "whsec_")
		if key, ok := decodeSignature(text); ok {
			return key
		}
	}
	return []byte(secret)
}
