package fairlead

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const maxErrorBytes = 1 << 20

// Error is an answer of the service that is not a success. Tell errors apart by Code:
//
//	var refused *fairlead.Error
//	if errors.As(err, &refused) && refused.Code == fairlead.CodeRateLimited { … }
type Error struct {
	Status int
	// Code is empty where the answer is not the service's, such as an error page of a proxy.
	Code    Code
	Message string
	// Details name the faults of a request that is INVALID_REQUEST.
	Details []ErrorDetail
	// RetryAfter is how long the service asks to wait; 0 where it does not.
	RetryAfter time.Duration
	// RequestID finds the request in the service's log.
	RequestID string
	// Body is the answer, a mebibyte at most: some codes have members of their own (docs/errors.md).
	Body []byte
}

// ErrorDetail is one fault of a request.
type ErrorDetail struct {
	// Path of what is wrong: body.sellAmount, query.limit.
	Path    string `json:"path"`
	Message string `json:"message"`
}

func (e *Error) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("fairlead: unexpected answer with status %d", e.Status)
	}
	return fmt.Sprintf("fairlead: %s (%d): %s", e.Code, e.Status, e.Message)
}

// isJSON reads as the generated code does, which looks for these letters.
func isJSON(response *http.Response) bool {
	media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return err == nil && media == "application/json"
}

// isAskedFor says that an answer has one of the forms that its request names: the rate history has two besides JSON.
func isAskedFor(response *http.Response, request *http.Request) bool {
	media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(strings.Split(request.Header.Get("Accept"), ","), func(one string) bool {
		asked, _, err := mime.ParseMediaType(one)
		return err == nil && asked == media
	})
}

// errorOf reads an answer to its end, and closes it.
func errorOf(response *http.Response) error {
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxErrorBytes))
	if err != nil {
		return err
	}
	wait, _ := retryAfter(response, time.Now())
	result := &Error{
		Status:     response.StatusCode,
		RetryAfter: wait,
		RequestID:  response.Header.Get("X-Request-Id"),
		Body:       body,
	}
	var said struct {
		Code    Code          `json:"code"`
		Message string        `json:"message"`
		Details []ErrorDetail `json:"details"`
	}
	if isJSON(response) && json.Unmarshal(body, &said) == nil {
		result.Code, result.Message, result.Details = said.Code, said.Message, said.Details
	}
	return result
}

var (
	secondsText = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]+)?$`)
	httpDate    = regexp.MustCompile(`^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$`)
)

// maxSeconds is what a [time.Duration] can hold.
const maxSeconds = int64(math.MaxInt64 / time.Second)

// retryAfter reads whole seconds, the one form that the service writes, and what proxies may write: a fraction, which is
// rounded up, or an HTTP date, of which a past one gives 0.
func retryAfter(response *http.Response, now time.Time) (time.Duration, bool) {
	text := response.Header.Get("Retry-After")
	if secondsText.MatchString(text) {
		seconds, err := strconv.ParseFloat(text, 64)
		return time.Duration(min(int64(math.Ceil(seconds)), maxSeconds)) * time.Second, err == nil
	}
	until, err := time.Parse(http.TimeFormat, text)
	if err != nil || !httpDate.MatchString(text) {
		return 0, false
	}
	seconds := math.Ceil(until.Sub(now).Seconds())
	return time.Duration(min(max(0, int64(seconds)), maxSeconds)) * time.Second, true
}
