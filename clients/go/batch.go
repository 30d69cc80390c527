package fairlead

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// ErrUnproven is wrapped by every refusal of [VerifyHeader], [VerifyBatch] and [VerifyProof].
var ErrUnproven = errors.New("fairlead: not what the publisher signed")

func unproven(why string) error { return errors.Join(ErrUnproven, errors.New(why)) }

// BatchHead is the batch before, as it was remembered from an earlier check. The zero value says that there is none.
type BatchHead struct {
	Sequence   int64
	HeaderHash string
}

// SignedBatch is a batch as the service answers it. The header and the entries are the JSON that arrived, so that
// members which a newer service adds are hashed too.
type SignedBatch struct {
	Header    json.RawMessage `json:"header"`
	Signature string          `json:"signature"`
	// Entries in their order, all of them. Where the batch came without them, [VerifyHeader] checks the rest.
	Entries []json.RawMessage `json:"entries,omitempty"`
}

// ProvenEntry is an entry that stands in a batch which the publisher signed.
type ProvenEntry struct {
	Header     BatchHeader
	HeaderHash string
	// Entry is the card; [ScoreCard] reads it.
	Entry json.RawMessage
}

var (
	keyIDText  = regexp.MustCompile(`^[0-9a-f]{16}$`)
	formulas   = map[string]bool{"v1": true}
	utcInstant = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
)

// VerifyHeader checks form, chain and signature of a header, and gives its hash. Keys are those that one trusts, got once
// from another source than the batch. The link to the batch before is not checked where previous is nil.
func VerifyHeader(text json.RawMessage, signature string, keys []PublisherKey, previous *BatchHead) (string, error) {
	_, digest, err := verifiedHeader(text, signature, keys, previous)
	return digest, err
}

// VerifyBatch does as [VerifyHeader], and checks that these are the entries, all of them, in their order.
func VerifyBatch(batch SignedBatch, keys []PublisherKey, previous *BatchHead) (string, error) {
	header, digest, err := verifiedHeader(batch.Header, batch.Signature, keys, previous)
	if err != nil {
		return "", err
	}
	if err := checkEntries(header, batch.Entries); err != nil {
		return "", err
	}
	return digest, nil
}

func verifiedHeader(text []byte, signature string, keys []PublisherKey, previous *BatchHead) (*BatchHeader, string, error) {
	header, digest, err := readHeader(text)
	if err != nil {
		return nil, "", err
	}
	if !follows(header, previous) {
		return nil, "", unproven("the header does not follow the batch before it")
	}
	if err := checkSignature(header.KeyID, digest, signature, keys); err != nil {
		return nil, "", err
	}
	return header, digest, nil
}

// VerifyProof checks the answer of ProveBatchEntry, of which body is exactly what arrived: that the batch was signed by
// one of the keys, and that the entry stands in it. Compare anchor and corridor of the entry with those asked for.
func VerifyProof(body []byte, keys []PublisherKey) (*ProvenEntry, error) {
	var claim struct {
		Entry json.RawMessage `json:"entry"`
		Index int64           `json:"index"`
		Size  int64           `json:"size"`
		Proof []string        `json:"proof"`
		Batch SignedBatch     `json:"batch"`
	}
	// parseJSON refuses what json.Unmarshal lets pass: a member named twice, a number that is no integer.
	if _, err := parseJSON(body); err != nil || json.Unmarshal(body, &claim) != nil {
		return nil, unproven("the answer is not a proof")
	}
	header, digest, err := verifiedHeader(claim.Batch.Header, claim.Batch.Signature, keys, nil)
	if err != nil {
		return nil, err
	}
	leaf, err := entryLeaf(header, claim.Entry)
	if err != nil {
		return nil, err
	}
	proof, ok := readHashes(append(claim.Proof, header.Root))
	if !ok || claim.Size != header.Size {
		return nil, unproven("the proof is malformed, or for a batch of another size")
	}
	last := len(proof) - 1
	if !includes(leaf, claim.Index, claim.Size, proof[:last], proof[last]) {
		return nil, unproven("the batch does not hold this entry")
	}
	return &ProvenEntry{Header: *header, HeaderHash: digest, Entry: claim.Entry}, nil
}

// readHeader wants the eight members and no others, each of its form, and gives the hash of the header.
func readHeader(text []byte) (*BatchHeader, string, error) {
	malformed := unproven("the header lacks a member, has another one, or one of another form")
	value, err := parseJSON(text)
	members, isObject := value.(map[string]any)
	var header BatchHeader
	if err != nil || !isObject || len(members) != 8 || json.Unmarshal(text, &header) != nil {
		return nil, "", malformed
	}
	for _, name := range []string{"version", "sequence", "previous", "root", "size", "formula", "createdAt", "keyId"} {
		if _, ok := members[name]; !ok {
			return nil, "", malformed
		}
	}
	first := header.Previous == nil
	if header.Version != 1 || header.Sequence < 1 || header.Size < 0 || first != (header.Sequence == 1) ||
		!hashText.MatchString(header.Root) || !(first || hashText.MatchString(*header.Previous)) ||
		!utcInstant.MatchString(header.CreatedAt) || !keyIDText.MatchString(header.KeyID) {
		return nil, "", malformed
	}
	if !formulas[header.Formula] {
		return nil, "", unproven(fmt.Sprintf("the score formula %q is not known: this verifier may be too old", header.Formula))
	}
	digest := sha256.Sum256(canonical(nil, members))
	return &header, hex.EncodeToString(digest[:]), nil
}

func follows(header *BatchHeader, previous *BatchHead) bool {
	if previous == nil {
		return true
	}
	if previous.Sequence == 0 {
		return header.Sequence == 1
	}
	return header.Sequence == previous.Sequence+1 && header.Previous != nil && *header.Previous == previous.HeaderHash
}

func checkSignature(keyID, digest, signature string, keys []PublisherKey) error {
	for _, listed := range keys {
		if listed.KeyID != keyID {
			continue
		}
		_, key, err := ParseAccount(listed.PublicKey)
		if err != nil || !isUsableKey(key) {
			return unproven("the key is no usable Ed25519 key")
		}
		if id := sha256.Sum256(key); hex.EncodeToString(id[:8]) != keyID {
			return unproven("the key id is another key's")
		}
		signed, spelled := decodeSignature(signature)
		if !spelled || !verifyEd25519(key, []byte("fairlead.batch.v1\n"+digest), signed) {
			return unproven("the signature does not verify under the key")
		}
		return nil
	}
	return unproven("none of the keys has the id that the header names")
}

func checkEntries(header *BatchHeader, entries []json.RawMessage) error {
	if int64(len(entries)) != header.Size {
		return unproven("there are more or fewer entries than the header says")
	}
	leaves := make([]hash, len(entries))
	for index, entry := range entries {
		leaf, err := entryLeaf(header, entry)
		if err != nil {
			return err
		}
		leaves[index] = leaf
	}
	if root := merkleRoot(leaves); hex.EncodeToString(root[:]) != header.Root {
		return unproven("the entries do not have the root that was signed")
	}
	return nil
}

// entryLeaf refuses an entry of another formula than the header's.
func entryLeaf(header *BatchHeader, entry []byte) (hash, error) {
	value, err := parseJSON(entry)
	members, isObject := value.(map[string]any)
	if err != nil || !isObject {
		return hash{}, unproven("an entry is not a JSON object with integers below 2^53")
	}
	if members["formula"] != header.Formula {
		return hash{}, unproven("an entry follows another formula than the header names")
	}
	return leafHash(canonical(nil, members)), nil
}

func readHashes(texts []string) ([]hash, bool) {
	hashes := make([]hash, len(texts))
	for index, text := range texts {
		if !hashText.MatchString(text) {
			return nil, false
		}
		copy(hashes[index][:], fromHex(text))
	}
	return hashes, true
}
