// A whole off-ramp against `npm start`. Never pay a second time where it stopped after "paid": look first.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/BurntSushi/toml"
	fairlead "github.com/fairlead/fairlead/clients/go/v2"
	"github.com/stellar/go-stellar-sdk/clients/rpcclient"
	"github.com/stellar/go-stellar-sdk/keypair"
	protocol "github.com/stellar/go-stellar-sdk/protocols/rpc"
	"github.com/stellar/go-stellar-sdk/txnbuild"
)

type fields = map[string]string

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// call gives the answer of an anchor into what is pointed to.
func call(method, address string, body fields, token string, into any) {
	request := must(http.NewRequest(method, address, nil))
	if body != nil {
		request = must(http.NewRequest(method, address, bytes.NewReader(must(json.Marshal(body)))))
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	answer := must(http.DefaultClient.Do(request))
	must(0, json.NewDecoder(answer.Body).Decode(into))
}

func main() {
	passphrase := cmp.Or(os.Getenv("NETWORK_PASSPHRASE"), "Fairlead simulated ledger")
	rpc := rpcclient.NewClient(cmp.Or(os.Getenv("RPC_URL"), "http://127.0.0.1:7298/rpc"), http.DefaultClient)
	service := must(fairlead.New(cmp.Or(os.Getenv("FAIRLEAD_URL"), "http://127.0.0.1:8080"), fairlead.Options{}))
	ctx, keys := context.Background(), must(keypair.Random())
	account := keys.Address()

	// Register. The hash follows from the terms alone, so it can be checked.
	terms := fairlead.CreateIntentBody{Corridor: "usdc-ngn", AnchorID: "harbour", Account: account, SellAmount: "100"}
	terms.Nonce = fairlead.NewNonce()
	hash := must(fairlead.IntentHash(terms))
	intent := must(service.CreateIntentWithResponse(ctx, terms)).JSON201
	if intent.IntentHash != hash {
		log.Fatal("the service registered other terms")
	}
	fmt.Println("registered", hash)

	// SEP-1: where the anchor is, and whether its key is the one that the service knows. Then SEP-10.
	anchor := must(service.GetAnchorWithResponse(ctx, terms.AnchorID, nil)).JSON200
	var file struct {
		SIGNING_KEY, WEB_AUTH_ENDPOINT, TRANSFER_SERVER_SEP0024 string
		CURRENCIES                                              []struct{ Issuer string }
	}
	answer := must(http.Get(*anchor.HomeDomain + "/.well-known/stellar.toml"))
	must(toml.NewDecoder(answer.Body).Decode(&file))
	if file.SIGNING_KEY != *anchor.SigningKey {
		log.Fatal("the stellar.toml is of another key")
	}
	auth, transfer, domain := file.WEB_AUTH_ENDPOINT, file.TRANSFER_SERVER_SEP0024, must(url.Parse(*anchor.HomeDomain)).Host
	var challenge, session, started fields
	call("GET", auth+"?account="+account, nil, "", &challenge)
	transaction, _, _, _, err := txnbuild.ReadChallengeTx(challenge["transaction"], file.SIGNING_KEY, passphrase, domain, []string{domain})
	signed := must(must(transaction, err).Sign(passphrase, keys))
	call("POST", auth, fields{"transaction": must(signed.Base64())}, "", &session)
	token := session["token"]

	// SEP-24. The withdrawal is attached before it is paid; the person fills in the anchor's form.
	asked := fields{"asset_code": "USDC", "amount": "100", "destination_asset": "iso4217:NGN", "account": account}
	asked["on_change_callback"] = intent.StatusCallbackURL
	call("POST", transfer+"/transactions/withdraw/interactive", asked, token, &started)
	id := started["id"]
	attachment := fairlead.AttachTransactionBody{Nonce: terms.Nonce, AnchorTransactionID: &id}
	must(service.AttachTransactionWithResponse(ctx, hash, attachment))
	must(http.Get(started["url"])) // a person opens it in a browser
	var record struct{ Transaction map[string]any }
	for record.Transaction["status"] != "pending_user_transfer_start" {
		time.Sleep(time.Second)
		call("GET", transfer+"/transaction?id="+id, nil, token, &record)
	}
	of := func(name string) string { return fmt.Sprint(record.Transaction[name]) }

	// Pay what was agreed and no more. The service is told of the payment before it is submitted, so that it is found.
	if must(strconv.ParseFloat(of("amount_in"), 64)) > 100 || of("withdraw_memo_type") != "id" {
		log.Fatal("the anchor asks for something else than was agreed")
	}
	asset := txnbuild.CreditAsset{Code: "USDC", Issuer: file.CURRENCIES[0].Issuer}
	pays := txnbuild.Payment{Destination: of("withdraw_anchor_account"), Amount: of("amount_in"), Asset: asset}
	payment := must(must(txnbuild.NewTransaction(txnbuild.TransactionParams{
		SourceAccount:        must(rpc.LoadAccount(ctx, account)),
		IncrementSequenceNum: true,
		BaseFee:              100,
		Memo:                 txnbuild.MemoID(must(strconv.ParseUint(of("withdraw_memo"), 10, 64))),
		Preconditions:        txnbuild.Preconditions{TimeBounds: txnbuild.NewTimeout(180)},
		Operations:           []txnbuild.Operation{&pays},
	})).Sign(passphrase, keys))
	paymentHash := must(payment.HashHex(passphrase))
	attachment.PaymentHash = &paymentHash
	must(service.AttachTransactionWithResponse(ctx, hash, attachment))
	sent := must(rpc.SendTransaction(ctx, protocol.SendTransactionRequest{Transaction: must(payment.Base64())}))
	fmt.Println("paid", paymentHash, sent.Status)

	// Follow, and dispute what came of it, as if nothing had arrived.
	seen := must(service.GetIntentWithResponse(ctx, hash)).JSON200
	for ; seen.Status == "pending"; seen = must(service.GetIntentWithResponse(ctx, hash)).JSON200 {
		time.Sleep(2 * time.Second)
	}
	fmt.Println("outcome", seen.Status, seen.Outcome.Reason)
	dispute := must(fairlead.SignDispute(hash, terms.AnchorID, "Nothing arrived.", must(fairlead.ParseSecretKey(keys.Seed()))))
	fmt.Println("dispute", must(service.FileDisputeWithResponse(ctx, dispute)).JSON201.Status)
}
