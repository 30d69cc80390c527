package fairlead

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"slices"
)

// The y coordinates of the points of order 1, 2, 4 and 8, sign bit clear. Under such a key a signature that holds for
// any message can be forged.
var smallOrder = [][]byte{
	fromHex("0000000000000000000000000000000000000000000000000000000000000000"),
	fromHex("0100000000000000000000000000000000000000000000000000000000000000"),
	fromHex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
	fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
	fromHex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
}

// The prime 2^255 - 19, little-endian.
var prime = fromHex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")

func fromHex(text string) []byte {
	decoded, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return decoded
}

// isUsableKey is stricter than crypto/ed25519: it refuses a y that is not below the prime, and points of small order.
func isUsableKey(key ed25519.PublicKey) bool {
	if len(key) != ed25519.PublicKeySize {
		return false
	}
	y := slices.Clone(key)
	y[31] &= 0x7f
	if !isBelowPrime(y) {
		return false
	}
	return !slices.ContainsFunc(smallOrder, func(each []byte) bool { return bytes.Equal(each, y) })
}

func isBelowPrime(y []byte) bool {
	for at := 31; at >= 0; at-- {
		if y[at] != prime[at] {
			return y[at] < prime[at]
		}
	}
	return false
}

func verifyEd25519(key ed25519.PublicKey, message, signature []byte) bool {
	return isUsableKey(key) && len(signature) == ed25519.SignatureSize && ed25519.Verify(key, message, signature)
}

// decodeSignature is strict: one signature has one spelling.
func decodeSignature(text string) ([]byte, bool) {
	decoded, err := base64.StdEncoding.Strict().DecodeString(text)
	return decoded, err == nil && base64.StdEncoding.EncodeToString(decoded) == text
}
