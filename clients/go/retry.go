package fairlead

import (
	"context"
	"net/http"
	"time"
)

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
