package fairlead

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxDepth       = 32 // of arrays and objects in one another
	maxSafeInteger = 1<<53 - 1
)

// CanonicalJSON is the RFC 8785 form of a JSON text whose numbers are integers below 2^53. It refuses what readers
// disagree on: a member named twice, a lone surrogate, bytes that are not UTF-8, any other number.
func CanonicalJSON(text []byte) ([]byte, error) {
	value, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	return canonical(nil, value), nil
}

// parseJSON gives nil, bool, string, int64, []any and map[string]any.
func parseJSON(text []byte) (any, error) {
	if !utf8.Valid(text) || hasLoneSurrogate(text) {
		return nil, errors.New("the JSON holds text that is not Unicode")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := parseValue(decoder, 0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("there is more than one JSON value")
	}
	return value, nil
}

func parseValue(decoder *json.Decoder, depth int) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	if _, opens := token.(json.Delim); opens && depth >= maxDepth {
		return nil, errors.New("the JSON is nested too deeply")
	}
	switch token := token.(type) {
	case json.Number:
		return parseInteger(token.String())
	case json.Delim:
		if token == '[' {
			return parseArray(decoder, depth)
		}
		return parseObject(decoder, depth)
	default:
		return token, nil
	}
}

func parseInteger(text string) (int64, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number > maxSafeInteger || number < -maxSafeInteger {
		return 0, fmt.Errorf("%s is not an integer below 2^53", text)
	}
	return number, nil
}

func parseArray(decoder *json.Decoder, depth int) (any, error) {
	items := []any{}
	for decoder.More() {
		item, err := parseValue(decoder, depth+1)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	_, err := decoder.Token()
	return items, err
}

func parseObject(decoder *json.Decoder, depth int) (any, error) {
	members := map[string]any{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		name := token.(string)
		if _, twice := members[name]; twice {
			return nil, fmt.Errorf("the member %q is named twice", name)
		}
		if members[name], err = parseValue(decoder, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := decoder.Token()
	return members, err
}

// hasLoneSurrogate looks for half of a pair of \u escapes, which the decoder would replace without a word.
func hasLoneSurrogate(text []byte) bool {
	for at := 0; at < len(text); at++ {
		if text[at] != '\\' {
			continue
		}
		at++
		unit, ok := escapedUnit(text[at-1:])
		if !ok || !utf16.IsSurrogate(unit) {
			continue
		}
		low, _ := escapedUnit(text[at+5:])
		if utf16.DecodeRune(unit, low) == utf8.RuneError {
			return true
		}
		at += 10
	}
	return false
}

// escapedUnit reads the \uXXXX that a text begins with.
func escapedUnit(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(unit), err == nil
}

func canonical(to []byte, value any) []byte {
	switch value := value.(type) {
	case nil:
		return append(to, "null"...)
	case bool:
		return strconv.AppendBool(to, value)
	case int64:
		return strconv.AppendInt(to, value, 10)
	case string:
		return canonicalString(to, value)
	case []any:
		to = append(to, '[')
		for index, item := range value {
			if index > 0 {
				to = append(to, ',')
			}
			to = canonical(to, item)
		}
		return append(to, ']')
	case map[string]any:
		to = append(to, '{')
		for index, name := range sortedNames(value) {
			if index > 0 {
				to = append(to, ',')
			}
			to = append(canonicalString(to, name), ':')
			to = canonical(to, value[name])
		}
		return append(to, '}')
	}
	panic(fmt.Sprintf("fairlead: %T is no JSON value", value))
}

// sortedNames sorts by UTF-16 code units, as RFC 8785 section 3.2.3 does, and not by code points.
func sortedNames(members map[string]any) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	})
	return names
}

var shortEscapes = strings.NewReplacer(
	`"`, `\"`, `\`, `\\`, "\b", `\b`, "\t", `\t`, "\n", `\n`, "\f", `\f`, "\r", `\r`,
)

// canonicalString escapes what RFC 8785 section 3.2.2.2 escapes and nothing else.
func canonicalString(to []byte, text string) []byte {
	to = append(to, '"')
	for _, character := range shortEscapes.Replace(text) {
		if character < 0x20 {
			to = fmt.Appendf(to, `\u%04x`, character)
		} else {
			to = utf8.AppendRune(to, character)
		}
	}
	return append(to, '"')
}
