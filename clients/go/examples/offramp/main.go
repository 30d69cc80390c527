// A whole off-ramp against `npm start`: register, SEP-10, SEP-24, pay, follow, dispute. It stops at the first fault; never
// pay a second time where it stopped after "paid": look first.
package main

import (
	"bytes"
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

const corridor, anchorID, code, amount = "usdc-ngn", "harbour", "USDC", "100"

type fields = map[string]string

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// call gives the answer of an anchor into what is pointed to.
func call(method, address string, body any, token string, into any) {
	request := must(http.NewRequest(method, address, nil))
	if body != nil {
		request = must(http.NewRequest(method, address, bytes.NewReader(must(json.Marshal(body)))))
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Authorization", "Bearer "+token)
	answer := must(http.DefaultClient.Do(request))
	defer answer.Body.Close()
	must(0, json.NewDecoder(answer.Body).Decode(into))
}

func main() {
	passphrase := os.Getenv("NETWORK_PASSPHRASE")
	ctx, keys := context.Background(), must(keypair.Random())
	service := must(fairlead.New(os.Getenv("FAIRLEAD_URL"), fairlead.Options{}))

	// Register. The hash follows from the terms alone, so it can be checked.
	terms := fairlead.CreateIntentBody{Corridor: corridor, AnchorID: anchorID, Account: keys.Address(), SellAmount: amount, Nonce: fairlead.NewNonce()}
	hash := must(fairlead.IntentHash(terms))
	created := must(service.CreateIntentWithResponse(ctx, terms))
	intent := fairlead.Either(created.JSON201, created.JSON200)
	if intent.IntentHash != hash {
		log.Fatal("the service registered other terms")
	}
	fmt.Println("registered", hash)

	// SEP-1: where the anchor is, and whether its key is the one that the service knows. Then SEP-10.
	anchor := must(service.GetAnchorWithResponse(ctx, anchorID, nil)).JSON200
	var file struct {
		SIGNING_KEY, WEB_AUTH_ENDPOINT, TRANSFER_SERVER_SEP0024 string
		CURRENCIES                                              []struct{ Issuer string }
	}
	answer := must(http.Get(*anchor.HomeDomain + "/.well-known/stellar.toml"))
	must(toml.NewDecoder(answer.Body).Decode(&file))
	if file.SIGNING_KEY != *anchor.SigningKey {
		log.Fatal("the stellar.toml is of another key")
	}
	domain := must(url.Parse(*anchor.HomeDomain)).Host
	var challenge, session, started fields
	call("GET", file.WEB_AUTH_ENDPOINT+"?account="+keys.Address(), nil, "", &challenge)
	transaction, _, _, _, err := txnbuild.ReadChallengeTx(challenge["transaction"], file.SIGNING_KEY, passphrase, domain, []string{domain})
	signed := must(must(transaction, err).Sign(passphrase, keys))
	call("POST", file.WEB_AUTH_ENDPOINT, fields{"transaction": must(signed.Base64())}, "", &session)
	token := session["token"]

	// SEP-24. The withdrawal is attached before it is paid; the person fills in the anchor's form.
	asked := fields{"asset_code": code, "amount": amount, "destination_asset": "iso4217:NGN", "account": keys.Address(), "on_change_callback": intent.StatusCallbackURL}
	call("POST", file.TRANSFER_SERVER_SEP0024+"/transactions/withdraw/interactive", asked, token, &started)
	attach := func(body fairlead.AttachTransactionBody) {
		body.Nonce = terms.Nonce
		must(service.AttachTransactionWithResponse(ctx, hash, body))
	}
	attach(fairlead.AttachTransactionBody{AnchorTransactionID: fairlead.Ptr(started["id"])})
	must(http.Get(started["url"])) // a person opens it in a browser
	var record struct{ Transaction map[string]any }
	for record.Transaction["status"] != "pending_user_transfer_start" {
		call("GET", file.TRANSFER_SERVER_SEP0024+"/transaction?id="+started["id"], nil, token, &record)
		time.Sleep(time.Second)
	}
	of := func(name string) string { return fmt.Sprint(record.Transaction[name]) }

	// Pay what was agreed and no more. The service is told of the payment before it is submitted, so that it is found.
	if must(strconv.ParseFloat(of("amount_in"), 64)) > 100 || of("withdraw_memo_type") != "id" {
		log.Fatal("the anchor asks for something else than was agreed")
	}
	rpc := rpcclient.NewClient(os.Getenv("RPC_URL"), http.DefaultClient)
	payment := must(must(txnbuild.NewTransaction(txnbuild.TransactionParams{
		SourceAccount:        must(rpc.LoadAccount(ctx, keys.Address())),
		IncrementSequenceNum: true,
		BaseFee:              100,
		Memo:                 txnbuild.MemoID(must(strconv.ParseUint(of("withdraw_memo"), 10, 64))),
		Preconditions:        txnbuild.Preconditions{TimeBounds: txnbuild.NewTimeout(180)},
		Operations: []txnbuild.Operation{&txnbuild.Payment{
			Destination: of("withdraw_anchor_account"),
			Amount:      of("amount_in"),
			Asset:       txnbuild.CreditAsset{Code: code, Issuer: file.CURRENCIES[0].Issuer},
		}},
	})).Sign(passphrase, keys))
	paymentHash := must(payment.HashHex(passphrase))
	attach(fairlead.AttachTransactionBody{PaymentHash: &paymentHash})
	sent := must(rpc.SendTransaction(ctx, protocol.SendTransactionRequest{Transaction: must(payment.Base64())}))
	fmt.Println("paid", paymentHash, sent.Status)

	// Follow, and dispute what came of it, as if nothing had arrived.
	seen := must(service.GetIntentWithResponse(ctx, hash)).JSON200
	for ; seen.Status == "pending"; seen = must(service.GetIntentWithResponse(ctx, hash)).JSON200 {
		time.Sleep(2 * time.Second)
	}
	fmt.Println("outcome", seen.Status, seen.Outcome.Reason)
	dispute := must(fairlead.SignDispute(hash, anchorID, "Nothing arrived.", must(fairlead.ParseSecretKey(keys.Seed()))))
	filed := must(service.FileDisputeWithResponse(ctx, dispute))
	fmt.Println("dispute", fairlead.Either(filed.JSON201, filed.JSON200).Status)
}
