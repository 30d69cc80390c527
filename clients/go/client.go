// Package fairlead is a client of a Fairlead service: off-ramp rates, intents, disputes and provable scores. Every
// operation is a method of [ClientWithResponses], which [New] makes; what a wallet or a consumer of scores verifies
// by itself (hashes, signatures, webhooks, proofs) needs no service.
//
// Amounts and rates are decimal strings, never floats. Instants are ISO 8601 in UTC with milliseconds.
package fairlead

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../../docs/openapi.client.json

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// Version is that of the contract that this client was generated from.
const Version = "2.3.0-alpha"

// Options of a client; the zero value is ready for use.
type Options struct {
	// Timeout of one attempt; 15 s when zero.
	Timeout time.Duration
	// MaxRetries says how often a GET that was answered 429 or 503 is sent again; 2 when zero, none when negative.
	MaxRetries int
	// MaxWait is the longest Retry-After that is waited out; 10 s when zero. A longer one is returned as an [Error].
	MaxWait time.Duration
	// UserAgent stands before the client's own name.
	UserAgent string
	// AdminKey and CronSecret are sent with the operations that take them and with no others.
	AdminKey   string
	CronSecret string
	// Transport sends the requests; http.DefaultTransport when nil.
	Transport http.RoundTripper
}

// New makes a client of the service at this address. Its methods return an [*Error] for every answer of the service
// that is not a success, so for a 304 too, which answers an If-None-Match: JSON200 (or JSON201, JSON202) is set where the
// error is nil. An Accept that a [RequestEditorFn] of a call sets is kept; an answer in that form is in Body alone.
func New(baseURL string, options Options) (*ClientWithResponses, error) {
	if options.Timeout == 0 {
		options.Timeout = 15 * time.Second
	}
	if options.MaxRetries == 0 {
		options.MaxRetries = 2
	}
	if options.MaxWait == 0 {
		options.MaxWait = 10 * time.Second
	}
	// A redirect would carry a key to another address.
	noRedirects := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	sender := &http.Client{Timeout: options.Timeout, Transport: options.Transport, CheckRedirect: noRedirects}
	return NewClientWithResponses(
		strings.TrimRight(baseURL, "/"),
		WithHTTPClient(&doer{sender: sender, maxRetries: options.MaxRetries, maxWait: options.MaxWait}),
		WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			addHeaders(request, options)
			return nil
		}),
	)
}

// scheduled are the operations that take the cron secret, as paths end, whatever the service's own prefix is.
var scheduled = []string{
	"/api/observations/round",
	"/api/publisher/tick",
	"/api/reputation/reconcile",
	"/api/reputation/refresh",
}

func addHeaders(request *http.Request, options Options) {
	agent := "fairlead-go/" + Version
	if options.UserAgent != "" {
		agent = options.UserAgent + " " + agent
	}
	request.Header.Set("User-Agent", agent)
	if request.Header.Get("Accept") == "" {
		request.Header.Set("Accept", "application/json")
	}
	if options.AdminKey != "" && strings.Contains(request.URL.Path, "/api/admin/") {
		request.Header.Set("X-Admin-Key", options.AdminKey)
	}
	if options.CronSecret == "" || request.Method != http.MethodPost {
		return
	}
	for _, path := range scheduled {
		if strings.HasSuffix(request.URL.Path, path) {
			request.Header.Set("Authorization", "Bearer "+options.CronSecret)
		}
	}
}

// Ptr points to a value, for parameters and members that may be absent.
func Ptr[T any](value T) *T { return &value }

// Either is the first of two answers that is there: an operation that can be sent again answers 201 the first time and
// 200 after that, as in Either(answer.JSON201, answer.JSON200).
func Either[T any](first, second *T) *T {
	if first != nil {
		return first
	}
	return second
}

// doer sends requests, waits out what the service asks to wait, and makes errors of refusals.
type doer struct {
	sender     *http.Client
	maxRetries int
	maxWait    time.Duration
}

func (d *doer) Do(request *http.Request) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		response, err := d.sender.Do(request)
		if err != nil {
			return nil, err
		}
		if response.StatusCode/100 == 2 && (isJSON(response) || isAskedFor(response, request)) {
			return response, nil
		}
		failure := errorOf(response)
		wait, ok := retryAfter(response, time.Now())
		if !ok || !d.mayRepeat(request, response, attempt, wait) {
			return nil, failure
		}
		if err := sleep(request.Context(), wait); err != nil {
			return nil, err
		}
	}
}

func (d *doer) mayRepeat(request *http.Request, response *http.Response, attempt int, wait time.Duration) bool {
	asked := response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable
	return asked && request.Method == http.MethodGet && attempt < d.maxRetries && wait <= d.maxWait
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
