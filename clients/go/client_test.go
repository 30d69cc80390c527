package fairlead

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// answers serves these answers one after the other, and keeps what was asked.
func answers(t *testing.T, scripted ...func(http.ResponseWriter)) (*httptest.Server, *[]*http.Request) {
	t.Helper()
	var asked []*http.Request
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		asked = append(asked, request)
		scripted[min(len(asked), len(scripted))-1](writer)
	}))
	t.Cleanup(server.Close)
	return server, &asked
}

func answer(status int, media, body string, header ...string) func(http.ResponseWriter) {
	return func(writer http.ResponseWriter) {
		writer.Header().Set("Content-Type", media)
		for index := 0; index < len(header); index += 2 {
			writer.Header().Set(header[index], header[index+1])
		}
		writer.WriteHeader(status)
		_, _ = writer.Write([]byte(body))
	}
}

const page = `{"items":[],"nextCursor":null}`

func limited(seconds string) func(http.ResponseWriter) {
	return answer(429, "application/json", `{"code":"RATE_LIMITED","message":"wait","retryAfter":1}`, "Retry-After", seconds)
}

func TestAGetIsSentAgainAfterTheSecondsOfRetryAfter(t *testing.T) {
	server, asked := answers(t, limited("1"), answer(200, "application/json; charset=utf-8", page))
	client, err := New(server.URL+"/", Options{UserAgent: "wallet/1.0"})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	result, err := client.ListCorridorsWithResponse(context.Background(), nil)
	if err != nil || result.JSON200 == nil || len(*asked) != 2 {
		t.Fatalf("%+v %v after %d requests", result, err, len(*asked))
	}
	if waited := time.Since(began); waited < time.Second {
		t.Errorf("sent again after %s", waited)
	}
	if agent := (*asked)[0].UserAgent(); agent != "wallet/1.0 fairlead-go/"+Version {
		t.Errorf("user agent %q", agent)
	}
}

func TestALimitIsReturnedAtOnceIfRetryAfterIsAboveTenSecondsOrUnreadable(t *testing.T) {
	for _, seconds := range []string{"11", "soon", ""} {
		server, asked := answers(t, limited(seconds))
		client, _ := New(server.URL, Options{})
		_, err := client.ListCorridorsWithResponse(context.Background(), nil)
		var refused *Error
		if !errors.As(err, &refused) || refused.Code != CodeRateLimited || refused.Status != 429 || len(*asked) != 1 {
			t.Errorf("%q: %v after %d requests", seconds, err, len(*asked))
		}
	}
}

func TestAPostIsNeverSentAgain(t *testing.T) {
	server, asked := answers(t, limited("0"))
	client, _ := New(server.URL, Options{})
	if _, err := client.CreateIntentWithResponse(context.Background(), CreateIntentBody{}); err == nil || len(*asked) != 1 {
		t.Errorf("%v after %d requests", err, len(*asked))
	}
}

func TestAGetIsSentThreeTimesInAll(t *testing.T) {
	server, asked := answers(t, limited("0"))
	client, _ := New(server.URL, Options{})
	if _, err := client.ListCorridorsWithResponse(context.Background(), nil); err == nil || len(*asked) != 3 {
		t.Errorf("%v after %d requests", err, len(*asked))
	}
}

func TestRetryAfterIsReadAsTheTypeScriptClientDoes(t *testing.T) {
	now := time.Date(1994, 11, 6, 8, 49, 30, 500_000_000, time.UTC)
	for text, seconds := range map[string]int64{
		"0": 0, "7": 7, "1.5": 2, "0.0": 0, "2.000": 2, "999999999999": maxSeconds,
		"Sun, 06 Nov 1994 08:49:37 GMT": 7, "Sun, 06 Nov 1994 08:49:30 GMT": 0, "Sun, 06 Nov 1994 07:00:00 GMT": 0,
	} {
		wait, ok := retryAfter(&http.Response{Header: http.Header{"Retry-After": {text}}}, now)
		if !ok || wait != time.Duration(seconds)*time.Second {
			t.Errorf("%q: %s %t", text, wait, ok)
		}
	}
	for _, text := range []string{
		"", "-1", "+1", "1.", ".5", "1e1", " 1", "soon", "1000000000000", "Sun, 6 Nov 1994 08:49:37 GMT",
		"Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC", "1994-11-06T08:49:37Z",
	} {
		if wait, ok := retryAfter(&http.Response{Header: http.Header{"Retry-After": {text}}}, now); ok {
			t.Errorf("%q: %s", text, wait)
		}
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	server, _ := answers(t, limited("9"))
	client, _ := New(server.URL, Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := client.ListCorridorsWithResponse(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestAnswersThatAreNotTheServicesAreErrors(t *testing.T) {
	for name, scripted := range map[string]func(http.ResponseWriter){
		"page":     answer(200, "text/html", "<p>Welcome</p>"),
		"bad":      answer(502, "text/html", "<p>Bad gateway</p>"),
		"redirect": answer(302, "text/html", "", "Location", "http://127.0.0.1:1/"),
	} {
		server, _ := answers(t, scripted)
		client, _ := New(server.URL, Options{})
		_, err := client.ListCorridorsWithResponse(context.Background(), nil)
		var unexpected *Error
		if !errors.As(err, &unexpected) || unexpected.Code != "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnUnchangedAnswerIsAnErrorOfItsOwnStatus(t *testing.T) {
	server, _ := answers(t, answer(304, "application/json", "", "ETag", `"a"`))
	client, _ := New(server.URL, Options{})
	result, err := client.ListCorridorsWithResponse(context.Background(), &ListCorridorsParams{IfNoneMatch: Ptr(`"a"`)})
	var unchanged *Error
	if !errors.As(err, &unchanged) || unchanged.Status != http.StatusNotModified || unchanged.Code != "" {
		t.Errorf("%+v %v", result, err)
	}
}

func TestAnotherFormIsGivenToWhoAskedForIt(t *testing.T) {
	server, asked := answers(t, answer(200, "text/csv; charset=utf-8", "at,rate"))
	client, _ := New(server.URL, Options{})
	inCSV := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Accept", "text/csv")
		return nil
	}
	result, err := client.GetRateHistoryWithResponse(context.Background(), "usdc-ngn", nil, inCSV)
	if err != nil || string(result.Body) != "at,rate" || (*asked)[0].Header.Get("Accept") != "text/csv" {
		t.Fatalf("%+v %v", result, err)
	}
	var unexpected *Error
	if _, err := client.GetRateHistoryWithResponse(context.Background(), "usdc-ngn", nil); !errors.As(err, &unexpected) {
		t.Error(err)
	}
	if (*asked)[1].Header.Get("Accept") != "application/json" {
		t.Errorf("%v", (*asked)[1].Header)
	}
}

func TestAnAnswerThatDoesNotEndIsEnded(t *testing.T) {
	for _, status := range []int{200, 502} {
		server, _ := answers(t, func(writer http.ResponseWriter) {
			answer(status, "application/json", " ")(writer)
			writer.(http.Flusher).Flush()
			time.Sleep(time.Second)
		})
		client, _ := New(server.URL, Options{Timeout: 100 * time.Millisecond})
		_, err := client.ListCorridorsWithResponse(context.Background(), nil)
		var limit interface{ Timeout() bool }
		if !errors.As(err, &limit) || !limit.Timeout() {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestErrorsCarryWhatTheServiceSays(t *testing.T) {
	server, _ := answers(t, answer(400, "application/json",
		`{"code":"INVALID_REQUEST","message":"no","details":[{"path":"query.limit","message":"must be a number"}]}`, "X-Request-Id", "request-1"))
	client, _ := New(server.URL, Options{})
	_, err := client.ListCorridorsWithResponse(context.Background(), nil)
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != CodeInvalidRequest || refused.RequestID != "request-1" ||
		len(refused.Details) != 1 || refused.Details[0].Path != "query.limit" || !strings.Contains(err.Error(), "INVALID_REQUEST") {
		t.Error(err)
	}
}

// TestKeysAreSentWhereTheyAreTaken holds the paths in client.go against the document.
func TestKeysAreSentWhereTheyAreTaken(t *testing.T) {
	var document struct {
		Paths map[string]map[string]struct{ Security []map[string]any }
	}
	readVectors(t, "docs/openapi.client.json", &document)
	options := Options{AdminKey: "a", CronSecret: "c"}
	seen := 0
	for path, operations := range document.Paths {
		for method, operation := range operations {
			schemes, _ := json.Marshal(operation.Security)
			request := httptest.NewRequest(strings.ToUpper(method), path, nil)
			addHeaders(request, options)
			admin, cron := request.Header.Get("X-Admin-Key") != "", request.Header.Get("Authorization") != ""
			if admin != strings.Contains(string(schemes), "adminKey") || cron != strings.Contains(string(schemes), "cronSecret") {
				t.Errorf("%s %s: admin key %t, cron secret %t, document %s", method, path, admin, cron, schemes)
			}
			seen++
		}
	}
	if seen < 30 {
		t.Errorf("only %d operations", seen)
	}
}
