package fairlead

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// readVectors reads a file of the repository that this client is part of.
func readVectors(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile("../../" + path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func TestAccountsAreReadAndRefused(t *testing.T) {
	var vectors struct {
		Accepted []struct{ Hex, Account string }
		Refused  []struct{ Why, Text string }
	}
	readVectors(t, "contract/vectors/strkey.json", &vectors)
	for _, each := range vectors.Accepted {
		for _, text := range []string{each.Account, each.Hex, strings.ToUpper(each.Hex)} {
			account, key, err := ParseAccount(text)
			if err != nil || account != each.Account || hex.EncodeToString(key) != each.Hex {
				t.Errorf("%s: %s %x %v", text, account, key, err)
			}
		}
	}
	for _, each := range vectors.Refused {
		if _, _, err := ParseAccount(each.Text); err == nil {
			t.Errorf("%s was accepted: %s", each.Text, each.Why)
		}
	}
}

func TestIntentsHaveTheHashOfTheVectors(t *testing.T) {
	var vectors struct {
		Cases []struct {
			Name, Canonical, IntentHash string
			Intent                      CreateIntentBody
		}
	}
	readVectors(t, "contract/vectors/intent-hash.json", &vectors)
	for _, each := range vectors.Cases {
		text, err := CanonicalIntent(each.Intent)
		if err != nil || text != each.Canonical {
			t.Errorf("%s: %s %v", each.Name, text, err)
		}
		if hash, err := IntentHash(each.Intent); err != nil || hash != each.IntentHash {
			t.Errorf("%s: %s %v", each.Name, hash, err)
		}
	}
	good := vectors.Cases[0].Intent
	for _, amount := range []string{"", "1e3", "-1", "01", "1.", ".5", "+1", " 1"} {
		bad := good
		bad.SellAmount = amount
		if hash, err := IntentHash(bad); err == nil {
			t.Errorf("the amount %q has a hash: %s", amount, hash)
		}
	}
	for _, expiresAt := range []string{"2026-11-31T00:00:00Z", "2026-11-21", "2026-11-21T24:00:00Z", "2026-11-21 09:30:00Z"} {
		bad := good
		bad.ExpiresAt = Ptr(expiresAt)
		if hash, err := IntentHash(bad); err == nil {
			t.Errorf("the instant %q has a hash: %s", expiresAt, hash)
		}
	}
}

func TestDisputesAreSignedAndVerified(t *testing.T) {
	var vectors struct {
		Cases []struct {
			SecretKey, Sep53Hash string
			Body                 FileDisputeBody
		}
	}
	readVectors(t, "contract/vectors/dispute.json", &vectors)
	for _, each := range vectors.Cases {
		key, err := ParseSecretKey(each.SecretKey)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(SEP53Hash(each.Body.IntentHash)); got != each.Sep53Hash {
			t.Errorf("SEP-53: %s", got)
		}
		signed, err := SignDispute(each.Body.IntentHash, each.Body.AnchorID, each.Body.Reason, key)
		if err != nil || signed != each.Body || !VerifyDispute(signed) {
			t.Errorf("signed %+v, %v", signed, err)
		}
		plain := signed
		plain.Signature = base64.StdEncoding.EncodeToString(ed25519.Sign(key, []byte(signed.IntentHash)))
		if !VerifyDispute(plain) {
			t.Error("a signature over the plain text was refused")
		}
		for name, tamper := range map[string]func(*FileDisputeBody){
			"intent hash": func(d *FileDisputeBody) { d.IntentHash = "0" + d.IntentHash[1:] },
			"signature":   func(d *FileDisputeBody) { d.Signature = "A" + d.Signature[1:] },
			"spelling":    func(d *FileDisputeBody) { d.Signature = d.Signature[:85] + "R==" },
			"key":         func(d *FileDisputeBody) { d.PublicKey = EncodeAccount(make([]byte, 32)) },
		} {
			changed := signed
			tamper(&changed)
			if VerifyDispute(changed) {
				t.Errorf("a dispute with another %s was accepted", name)
			}
		}
	}
	if _, err := ParseSecretKey(vectors.Cases[0].Body.PublicKey); err == nil {
		t.Error("a public key was read as a secret one")
	}
}

type delivery struct {
	Why, Secret, StandardSecret, Body, Signature string
	Headers                                      map[string]string
}

func (d delivery) header() http.Header {
	header := http.Header{}
	for name, value := range d.Headers {
		header.Set(name, value)
	}
	return header
}

func TestWebhooksAreVerifiedAndRefused(t *testing.T) {
	var vectors struct{ Cases, Refused []delivery }
	readVectors(t, "contract/vectors/webhook.json", &vectors)
	for _, each := range vectors.Cases {
		seconds, _ := strconv.ParseInt(each.Headers["webhook-timestamp"], 10, 64)
		options := WebhookOptions{Secrets: []string{"another secret", each.Secret}, Now: time.Unix(seconds+299, 0)}
		body := []byte(each.Body)
		event, err := VerifyWebhook(body, each.header(), options)
		if err != nil || event.ID != each.Headers["webhook-id"] {
			t.Errorf("%+v, %v", event, err)
		}
		if got := StandardSecret(each.Secret); got != each.StandardSecret {
			t.Errorf("standard secret: %s", got)
		}
		late := options
		late.Now = time.Unix(seconds+301, 0)
		early := options
		early.Now = time.Unix(seconds-301, 0)
		strange := options
		strange.Secrets = []string{"another secret"}
		for why, options := range map[string]WebhookOptions{"too late": late, "too early": early, "other secret": strange} {
			if _, err := VerifyWebhook(body, each.header(), options); !errors.Is(err, ErrWebhook) {
				t.Errorf("%s: %v", why, err)
			}
		}
		for name := range each.Headers {
			missing, changed := each.header(), each.header()
			missing.Del(name)
			changed.Set(name, "0"+changed.Get(name))
			twice := each.header()
			twice.Add(name, "0")
			for _, header := range []http.Header{missing, changed, twice} {
				if _, err := VerifyWebhook(body, header, options); !errors.Is(err, ErrWebhook) {
					t.Errorf("without a good %s: %v", name, err)
				}
			}
		}
		if _, err := VerifyWebhook(bytes.Replace(body, []byte("T09"), []byte("T08"), 1), each.header(), options); !errors.Is(err, ErrWebhook) {
			t.Errorf("another body: %v", err)
		}
	}
	for _, each := range vectors.Refused {
		header := http.Header{"X-Fairlead-Signature": {each.Signature}}
		if _, err := VerifyWebhook([]byte(each.Body), header, WebhookOptions{Secrets: []string{each.Secret}, TimestampOptional: true}); !errors.Is(err, ErrWebhook) {
			t.Errorf("%s: %v", each.Why, err)
		}
	}
}

// signed is a delivery that has no time, signed with this secret.
func signed(body, secret string) http.Header {
	return http.Header{"X-Fairlead-Signature": {hex.EncodeToString(sign([]byte(secret), []byte(body)))}}
}

const event = `{"id":"1","event":"intent.settled","createdAt":"2026-11-21T09:29:59.250Z","data":{}}`

func TestWebhooksWantATimestamp(t *testing.T) {
	options := WebhookOptions{Secrets: []string{"a secret"}}
	if _, err := VerifyWebhook([]byte(event), signed(event, "a secret"), options); !errors.Is(err, ErrWebhook) {
		t.Errorf("a delivery without a time: %v", err)
	}
	options.TimestampOptional = true
	if _, err := VerifyWebhook([]byte(event), signed(event, "a secret"), options); err != nil {
		t.Error(err)
	}
	empty := signed(event, "a secret")
	empty.Set("webhook-id", "")
	if _, err := VerifyWebhook([]byte(event), empty, options); !errors.Is(err, ErrWebhook) {
		t.Errorf("an empty id: %v", err)
	}
}

func TestWebhooksWantASecret(t *testing.T) {
	for _, secrets := range [][]string{nil, {}, {""}, {"a secret", ""}} {
		options := WebhookOptions{Secrets: secrets, TimestampOptional: true}
		if read, err := VerifyWebhook([]byte(event), signed(event, ""), options); err == nil || errors.Is(err, ErrWebhook) {
			t.Errorf("%q: %+v %v", secrets, read, err)
		}
	}
}

func TestSignaturesAreVerifiedStrictly(t *testing.T) {
	var wycheproof struct {
		Cases []struct {
			ID                            int
			PublicKey, Message, Signature string
			Valid                         bool
		}
	}
	readVectors(t, "test/vectors/wycheproof-ed25519.json", &wycheproof)
	for _, each := range wycheproof.Cases {
		if got := verifyEd25519(fromHex(each.PublicKey), fromHex(each.Message), fromHex(each.Signature)); got != each.Valid {
			t.Errorf("wycheproof %d: %t", each.ID, got)
		}
	}
	var zip215 struct {
		Message string
		Cases   []struct{ PublicKey, Signature string }
	}
	readVectors(t, "test/vectors/zip215-small-order.json", &zip215)
	for _, each := range zip215.Cases {
		if verifyEd25519(fromHex(each.PublicKey), fromHex(zip215.Message), fromHex(each.Signature)) {
			t.Errorf("a small-order key %s has signed", each.PublicKey)
		}
	}
	var speccheck struct {
		Cases []struct {
			Case                          int
			PublicKey, Message, Signature string
			Both                          bool
		}
	}
	readVectors(t, "test/vectors/speccheck.json", &speccheck)
	for _, each := range speccheck.Cases {
		if got := verifyEd25519(fromHex(each.PublicKey), fromHex(each.Message), fromHex(each.Signature)); got != each.Both {
			t.Errorf("speccheck %d: %t", each.Case, got)
		}
	}
}

func TestCanonicalJSONIsThatOfTheReference(t *testing.T) {
	var vectors struct {
		Cases []struct{ Name, Input, OutputHex string }
	}
	readVectors(t, "test/vectors/jcs.json", &vectors)
	compared := 0
	for _, each := range vectors.Cases {
		output, err := CanonicalJSON([]byte(each.Input))
		if err != nil && strings.Contains(err.Error(), "not an integer") {
			continue // Nothing that is signed holds another number.
		}
		compared++
		if err != nil || hex.EncodeToString(output) != each.OutputHex {
			t.Errorf("%s: %s %v", each.Name, output, err)
		}
	}
	if compared < 3 {
		t.Errorf("only %d cases were compared", compared)
	}
	for _, text := range []string{
		`{"a":1,"a":2}`, `1.5`, `1e2`, `9007199254740992`, `"\ud800"`, `"\udc00\ud800"`, `"\ud800\u0041"`, "\"\xff\"", `[1] [2]`, `[`, ``,
		strings.Repeat("[", 33) + strings.Repeat("]", 33), strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33),
	} {
		if output, err := CanonicalJSON([]byte(text)); err == nil {
			t.Errorf("%s is canonical as %s", text, output)
		}
	}
	deepest := strings.Repeat("[", 32) + "1" + strings.Repeat("]", 32)
	if output, err := CanonicalJSON([]byte(deepest)); err != nil || string(output) != deepest {
		t.Errorf("%s %v", output, err)
	}
	if output, err := CanonicalJSON([]byte(`{"\ud83d\ude02\\":"\u0001\\u","\ufb33":-9007199254740991}`)); err != nil ||
		string(output) != "{\"😂\\\\\":\"\\u0001\\\\u\",\"\ufb33\":-9007199254740991}" {
		t.Errorf("%s %v", output, err)
	}
}
