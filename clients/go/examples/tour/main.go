// The tour does everything that this client is for, once, against a running service: a rate, a webhook, an intent, a
// dispute, a proof, a limit. It prints a line of JSON for each step, and reads from its input what only the anchor
// knows: the id of the withdrawal, and then a line once it has ended.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	fairlead "github.com/fairlead/fairlead/clients/go/v2"
)

const (
	corridor = "usdc-ngn"
	anchor   = "harbour"
)

// tour is what the steps have in common, from the environment.
type tour struct {
	context.Context
	client *fairlead.ClientWithResponses
	input  *bufio.Scanner
	// keys of the publisher, which were handed over by another way than the service.
	keys []fairlead.PublisherKey
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	url := os.Getenv("FAIRLEAD_URL")
	client, err := fairlead.New(url, fairlead.Options{
		AdminKey:   os.Getenv("FAIRLEAD_ADMIN_KEY"),
		CronSecret: os.Getenv("FAIRLEAD_CRON_SECRET"),
		MaxRetries: -1,
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	t := &tour{Context: ctx, client: client, input: bufio.NewScanner(os.Stdin)}
	if err := json.Unmarshal([]byte(os.Getenv("PUBLISHER_KEYS")), &t.keys); err != nil {
		return err
	}
	for _, step := range []func() error{t.rate, t.webhook, t.intentAndDispute, t.proof} {
		if err := step(); err != nil {
			return err
		}
	}
	return t.limit(url)
}

func say(step string, members map[string]any) {
	members["step"] = step
	line, _ := json.Marshal(members)
	fmt.Println(string(line))
}

func (t *tour) rate() error {
	answer, err := t.client.GetRatesWithResponse(t, corridor, &fairlead.GetRatesParams{Amount: fairlead.Ptr("100")})
	if err != nil {
		return err
	}
	best := answer.JSON200.Best
	say("rate", map[string]any{"best": best.AnchorID, "receive": answer.JSON200.Quotes[0].ReceiveAmount})
	return nil
}

// webhook registers a receiver of its own, has the service send an event to it, and verifies what arrives.
func (t *tour) webhook() error {
	const secret = "a secret of the tour in Go"
	type delivery struct {
		body   []byte
		header http.Header
	}
	arrived := make(chan delivery, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("RECEIVER_PORT"))
	if err != nil {
		return err
	}
	receiver := &http.Server{Handler: http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		if _, err := fairlead.VerifyWebhook(body, request.Header, fairlead.WebhookOptions{Secrets: []string{secret}}); err != nil {
			http.Error(writer, err.Error(), http.StatusUnauthorized)
			return
		}
		writer.WriteHeader(http.StatusNoContent)
		arrived <- delivery{body, request.Header}
	})}
	go func() { _ = receiver.Serve(listener) }()
	defer func() { _ = receiver.Close() }()

	hook, err := t.client.CreateWebhookWithResponse(t, fairlead.CreateWebhookBody{
		URL:    "http://" + listener.Addr().String(),
		Events: []fairlead.EventName{fairlead.EventNameIntentSettled},
		Secret: secret,
	})
	if err != nil {
		return err
	}
	if _, err := t.client.TestWebhookWithResponse(t, hook.JSON201.ID, fairlead.TestWebhookBody{}); err != nil {
		return err
	}
	select {
	case got := <-arrived:
		options := fairlead.WebhookOptions{Secrets: []string{secret}}
		event, err := fairlead.VerifyWebhook(got.body, got.header, options)
		if err != nil {
			return err
		}
		forged := bytes.Replace(got.body, []byte(`"amount":"`), []byte(`"amount":"9`), 1)
		_, refusal := fairlead.VerifyWebhook(forged, got.header, options)
		say("webhook", map[string]any{"event": event.Event, "forgedIsRefused": errors.Is(refusal, fairlead.ErrWebhook)})
		return nil
	case <-t.Done():
		return t.Err()
	}
}

func (t *tour) intentAndDispute() error {
	key, err := fairlead.ParseSecretKey(os.Getenv("SECRET_KEY"))
	if err != nil {
		return err
	}
	terms := fairlead.CreateIntentBody{
		Corridor:   corridor,
		AnchorID:   anchor,
		Account:    os.Getenv("ACCOUNT"),
		SellAmount: "100.50",
		Nonce:      fairlead.NewNonce(),
	}
	hash, err := fairlead.IntentHash(terms)
	if err != nil {
		return err
	}
	created, err := t.client.CreateIntentWithResponse(t, terms)
	if err != nil {
		return err
	}
	intent := fairlead.Either(created.JSON201, created.JSON200)
	say("intent", map[string]any{"intentHash": intent.IntentHash, "own": hash, "callback": intent.StatusCallbackURL})

	t.input.Scan()
	attached, err := t.client.AttachTransactionWithResponse(t, hash, fairlead.AttachTransactionBody{
		Nonce: terms.Nonce, AnchorTransactionID: fairlead.Ptr(t.input.Text()),
	})
	if err != nil {
		return err
	}
	dispute, err := fairlead.SignDispute(hash, anchor, "Nothing arrived.", key)
	if err != nil {
		return err
	}
	_, err = t.client.FileDisputeWithResponse(t, dispute)
	var early *fairlead.Error
	if !errors.As(err, &early) {
		return fmt.Errorf("a dispute before the outcome: %v", err)
	}
	say("attached", map[string]any{"id": attached.JSON200.Transaction.ID, "early": early.Code})

	t.input.Scan()
	filed, err := t.client.FileDisputeWithResponse(t, dispute)
	if err != nil {
		return err
	}
	say("dispute", map[string]any{"status": fairlead.Either(filed.JSON201, filed.JSON200).Status})
	return nil
}

// proof publishes the scores, as the schedule of a service does, and proves that of one anchor.
func (t *tour) proof() error {
	if _, err := t.client.RefreshReputationWithResponse(t, fairlead.NoBody{}); err != nil {
		return err
	}
	if _, err := t.client.TickPublisherWithResponse(t, fairlead.NoBody{}); err != nil {
		return err
	}
	answer, err := t.client.ProveBatchEntryWithResponse(t, "1", &fairlead.ProveBatchEntryParams{Anchor: anchor, Corridor: corridor})
	if err != nil {
		return err
	}
	proven, err := fairlead.VerifyProof(answer.Body, t.keys)
	if err != nil {
		return err
	}
	var card fairlead.ScoreCard
	if err := json.Unmarshal(proven.Entry, &card); err != nil {
		return err
	}
	forged := bytes.Replace(answer.Body, []byte(`"anchorId":"harbour"`), []byte(`"anchorId":"squall"`), 1)
	_, refusal := fairlead.VerifyProof(forged, t.keys)
	say("proof", map[string]any{
		"sequence":        proven.Header.Sequence,
		"anchor":          card.AnchorID,
		"forgedIsRefused": errors.Is(refusal, fairlead.ErrUnproven),
	})
	return nil
}

// limit uses up the requests of a window, and waits for the next one.
func (t *tour) limit(url string) error {
	var refused *fairlead.Error
	for !errors.As(t.listCorridors(t.client), &refused) {
	}
	patient, err := fairlead.New(url, fairlead.Options{MaxWait: 90 * time.Second})
	if err != nil {
		return err
	}
	say("limited", map[string]any{"code": refused.Code, "waits": refused.RetryAfter > 0, "waited": t.listCorridors(patient) == nil})
	return nil
}

func (t *tour) listCorridors(client *fairlead.ClientWithResponses) error {
	_, err := client.ListCorridorsWithResponse(t, nil)
	return err
}
