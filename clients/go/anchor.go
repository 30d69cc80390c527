package fairlead

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Record is a JSON object of an anchor.
type Record map[string]any

// Text is a member as text, empty where there is none.
func (r Record) Text(name string) string {
	if r[name] == nil {
		return ""
	}
	return fmt.Sprint(r[name])
}

// Record is a member that is an object, empty where there is none.
func (r Record) Record(name string) Record {
	object, _ := r[name].(map[string]any)
	return object
}

// AskAnchor calls an anchor, by POST where there is a body, and with the token of SEP-10 unless it is empty.
func AskAnchor(ctx context.Context, address, token string, body Record) (Record, error) {
	method, sent := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		sent, _ = json.Marshal(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(sent))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer := Record{}
	decoder := json.NewDecoder(io.LimitReader(response.Body, 1<<20))
	decoder.UseNumber()
	if err := decoder.Decode(&answer); response.StatusCode/100 != 2 || err != nil {
		return nil, fmt.Errorf("%s answered %d: %v", address, response.StatusCode, answer["error"])
	}
	return answer, nil
}

// Register registers an intent, and refuses an answer that is not of these terms.
func (c *ClientWithResponses) Register(ctx context.Context, terms CreateIntentBody) (*IntentAnswer, error) {
	hash, err := IntentHash(terms)
	if err != nil {
		return nil, err
	}
	answer, err := c.CreateIntentWithResponse(ctx, terms)
	if err != nil {
		return nil, err
	}
	intent := Either(answer.JSON201, answer.JSON200)
	if intent.IntentHash != hash {
		return nil, fmt.Errorf("the service registered other terms: %s instead of %s", intent.IntentHash, hash)
	}
	return intent, nil
}

// Follow asks for an intent every so often until it has ended.
func (c *ClientWithResponses) Follow(ctx context.Context, intentHash string, every time.Duration) (*IntentAnswer, error) {
	for {
		answer, err := c.GetIntentWithResponse(ctx, intentHash)
		if err != nil || answer.JSON200.Status != "pending" {
			if err != nil {
				return nil, err
			}
			return answer.JSON200, nil
		}
		if err := sleep(ctx, every); err != nil {
			return nil, err
		}
	}
}
