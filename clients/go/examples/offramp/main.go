// A whole off-ramp against `npm start`. Never pay a second time where it stopped after "paid": look first.
package main

import (
	"cmp"
	"context"
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

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	network := cmp.Or(os.Getenv("NETWORK_PASSPHRASE"), "Fairlead simulated ledger")
	rpc := rpcclient.NewClient(cmp.Or(os.Getenv("RPC_URL"), "http://127.0.0.1:7298/rpc"), http.DefaultClient)
	service := must(fairlead.New(cmp.Or(os.Getenv("FAIRLEAD_URL"), "http://127.0.0.1:8080"), fairlead.Options{}))
	ctx, keys := context.Background(), must(keypair.Random())
	// Register. The hash follows from the terms alone, so it is checked.
	terms := fairlead.CreateIntentBody{Corridor: "usdc-ngn", AnchorID: "harbour", Account: keys.Address(), SellAmount: "100"}
	terms.Nonce = fairlead.NewNonce()
	intent := must(service.Register(ctx, terms))
	fmt.Println("registered", intent.IntentHash)
	// SEP-1: where the anchor is. SEP-10: the challenge must be signed by the key that the service knows.
	anchor := must(service.GetAnchorWithResponse(ctx, terms.AnchorID, nil)).JSON200
	file, domain := fairlead.Record{}, must(url.Parse(*anchor.HomeDomain)).Host
	must(toml.NewDecoder(must(http.Get(*anchor.HomeDomain + "/.well-known/stellar.toml")).Body).Decode(&file))
	auth, transfer := file.Text("WEB_AUTH_ENDPOINT"), file.Text("TRANSFER_SERVER_SEP0024")
	given := must(fairlead.AskAnchor(ctx, auth+"?account="+terms.Account, "", nil)).Text("transaction")
	challenge, _, _, _, err := txnbuild.ReadChallengeTx(given, *anchor.SigningKey, network, domain, []string{domain})
	signed := must(must(must(challenge, err).Sign(network, keys)).Base64())
	token := must(fairlead.AskAnchor(ctx, auth, "", fairlead.Record{"transaction": signed})).Text("token")
	// SEP-24. The withdrawal is attached before it is paid; the person fills in the anchor's form.
	asked := fairlead.Record{"asset_code": "USDC", "amount": "100", "destination_asset": "iso4217:NGN", "account": terms.Account}
	asked["on_change_callback"] = intent.StatusCallbackURL
	started := must(fairlead.AskAnchor(ctx, transfer+"/transactions/withdraw/interactive", token, asked))
	attachment := fairlead.AttachTransactionBody{Nonce: terms.Nonce, AnchorTransactionID: fairlead.Ptr(started.Text("id"))}
	must(service.AttachTransactionWithResponse(ctx, intent.IntentHash, attachment))
	must(http.Get(started.Text("url"))) // a person opens it in a browser
	record := started
	for ; record.Text("status") != "pending_user_transfer_start"; time.Sleep(time.Second) {
		record = must(fairlead.AskAnchor(ctx, transfer+"/transaction?id="+started.Text("id"), token, nil)).Record("transaction")
	}
	// Pay what was agreed and no more. The service is told of the payment before it is submitted, so that it is found.
	if must(strconv.ParseFloat(record.Text("amount_in"), 64)) > 100 || record.Text("withdraw_memo_type") != "id" {
		log.Fatal("the anchor asks for something else than was agreed")
	}
	asset := txnbuild.CreditAsset{Code: "USDC", Issuer: fmt.Sprint(file["CURRENCIES"].([]map[string]any)[0]["issuer"])}
	pays := txnbuild.Payment{Destination: record.Text("withdraw_anchor_account"), Amount: record.Text("amount_in"), Asset: asset}
	built := txnbuild.TransactionParams{IncrementSequenceNum: true, BaseFee: 100, Operations: []txnbuild.Operation{&pays}}
	built.SourceAccount = must(rpc.LoadAccount(ctx, terms.Account))
	built.Memo = txnbuild.MemoID(must(strconv.ParseUint(record.Text("withdraw_memo"), 10, 64)))
	built.Preconditions.TimeBounds = txnbuild.NewTimeout(180)
	payment := must(must(txnbuild.NewTransaction(built)).Sign(network, keys))
	attachment.PaymentHash = fairlead.Ptr(must(payment.HashHex(network)))
	must(service.AttachTransactionWithResponse(ctx, intent.IntentHash, attachment))
	sent := must(rpc.SendTransaction(ctx, protocol.SendTransactionRequest{Transaction: must(payment.Base64())}))
	fmt.Println("paid", *attachment.PaymentHash, sent.Status)
	// Follow, and dispute what came of it, as if nothing had arrived.
	seen := must(service.Follow(ctx, intent.IntentHash, 2*time.Second))
	fmt.Println("outcome", seen.Status, seen.Outcome.Reason)
	dispute := must(fairlead.SignDispute(intent.IntentHash, terms.AnchorID, "Nothing arrived.", must(fairlead.ParseSecretKey(keys.Seed()))))
	fmt.Println("dispute", must(service.FileDisputeWithResponse(ctx, dispute)).JSON201.Status)
}
