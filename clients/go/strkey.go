package fairlead

import (
	"crypto/ed25519"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// Stellar keys as text, SEP-23: a version byte, 32 bytes, and CRC-16/XMODEM in little-endian, in base32.
const (
	accountVersion = 6 << 3
	seedVersion    = 18 << 3
)

var hexKey = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)

// EncodeAccount spells the 32 bytes of a public key as G….
func EncodeAccount(key ed25519.PublicKey) string {
	return encodeStrkey(accountVersion, key)
}

// ParseAccount reads a G… account or 64 hex digits; it gives the one G… form and the 32 bytes of the key.
func ParseAccount(text string) (string, ed25519.PublicKey, error) {
	if hexKey.MatchString(text) {
		key, err := hex.DecodeString(text)
		return EncodeAccount(key), key, err
	}
	key, err := decodeStrkey(accountVersion, text)
	if err != nil {
		return "", nil, fmt.Errorf("not a G… account or 64 hex digits: %w", err)
	}
	return text, key, nil
}

// ParseSecretKey reads an S… key.
func ParseSecretKey(text string) (ed25519.PrivateKey, error) {
	seed, err := decodeStrkey(seedVersion, text)
	if err != nil {
		return nil, fmt.Errorf("not an S… key: %w", err)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

func encodeStrkey(version byte, payload []byte) string {
	if len(payload) != 32 {
		panic(fmt.Sprintf("fairlead: a key has 32 bytes, not %d", len(payload)))
	}
	bytes := append([]byte{version}, payload...)
	return base32.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint16(bytes, crc16(bytes)))
}

func decodeStrkey(version byte, text string) ([]byte, error) {
	bytes, err := base32.StdEncoding.DecodeString(text)
	if err != nil || len(text) != 56 || len(bytes) != 35 {
		return nil, errors.New("must be 56 characters of base32")
	}
	payload := bytes[1:33]
	// One key has one spelling: this compares version, checksum and alphabet at once.
	if encodeStrkey(version, payload) != text {
		return nil, errors.New("wrong kind of key, or wrong checksum")
	}
	return slices.Clone(payload), nil
}

func crc16(bytes []byte) uint16 {
	crc := uint16(0)
	for _, each := range bytes {
		crc ^= uint16(each) << 8
		for range 8 {
			carry := crc&0x8000 != 0
			crc <<= 1
			if carry {
				crc ^= 0x1021
			}
		}
	}
	return crc
}
