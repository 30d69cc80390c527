package fairlead

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

type signedBatches struct {
	Keys    []PublisherKey
	Batches []struct {
		SignedBatch
		CanonicalHeader, HeaderHash string
		LeafHashes                  []string
		Proofs                      [][]string
	}
}

func readBatches(t *testing.T) signedBatches {
	t.Helper()
	var vectors signedBatches
	readVectors(t, "contract/vectors/batch.json", &vectors)
	return vectors
}

func TestBatchesFollowOneAnotherAndAreSigned(t *testing.T) {
	vectors := readBatches(t)
	previous := &BatchHead{}
	for _, batch := range vectors.Batches {
		digest, err := VerifyBatch(batch.SignedBatch, vectors.Keys, previous)
		if err != nil || digest != batch.HeaderHash {
			t.Errorf("%s %v", digest, err)
		}
		if canonical, err := CanonicalJSON(batch.Header); err != nil || string(canonical) != batch.CanonicalHeader {
			t.Errorf("%s %v", canonical, err)
		}
		if digest, err := VerifyHeader(batch.Header, batch.Signature, vectors.Keys, previous); err != nil || digest != batch.HeaderHash {
			t.Errorf("header: %s %v", digest, err)
		}
		refuse := func(why string, changed SignedBatch, keys []PublisherKey, previous *BatchHead) {
			t.Helper()
			if _, err := VerifyBatch(changed, keys, previous); !errors.Is(err, ErrUnproven) {
				t.Errorf("%s: %v", why, err)
			}
		}
		refuse("other keys", batch.SignedBatch, []PublisherKey{{KeyID: vectors.Keys[0].KeyID, PublicKey: EncodeAccount(make([]byte, 32))}}, previous)
		refuse("no keys", batch.SignedBatch, nil, previous)
		refuse("another place", batch.SignedBatch, vectors.Keys, &BatchHead{Sequence: 9, HeaderHash: digest})
		var members map[string]any
		if err := json.Unmarshal(batch.Header, &members); err != nil {
			t.Fatal(err)
		}
		for name, value := range members {
			for _, other := range []any{"0000000000000000", float64(77), nil} {
				if other == value {
					continue
				}
				members[name] = other
				changed := batch.SignedBatch
				changed.Header, _ = json.Marshal(members)
				if _, err := VerifyHeader(changed.Header, changed.Signature, vectors.Keys, nil); !errors.Is(err, ErrUnproven) {
					t.Errorf("another %s: %v", name, err)
				}
				refuse(name, changed, vectors.Keys, nil)
			}
			members[name] = value
		}
		more := batch.SignedBatch
		more.Entries = append([]json.RawMessage{[]byte(`{"anchorId":"new"}`)}, batch.Entries...)
		refuse("an entry more", more, vectors.Keys, previous)
		if len(batch.Entries) > 0 {
			for why, entries := range map[string][]json.RawMessage{"no entries": nil, "an empty list": {}} {
				left := batch.SignedBatch
				left.Entries = entries
				refuse(why, left, vectors.Keys, previous)
			}
			edited := batch.SignedBatch
			edited.Entries = append([]json.RawMessage{}, batch.Entries...)
			edited.Entries[0] = bytes.Replace(batch.Entries[0], []byte("usdc-"), []byte("usdt-"), 1)
			refuse("an edited entry", edited, vectors.Keys, previous)
		}
		var header BatchHeader
		if err := json.Unmarshal(batch.Header, &header); err != nil {
			t.Fatal(err)
		}
		previous = &BatchHead{Sequence: header.Sequence, HeaderHash: digest}
	}
}

func TestEntriesAreProven(t *testing.T) {
	vectors := readBatches(t)
	proven := 0
	for _, batch := range vectors.Batches {
		for index, proof := range batch.Proofs {
			claim := map[string]any{
				"entry": batch.Entries[index], "index": index, "size": len(batch.Entries), "proof": proof,
				"leafHash": batch.LeafHashes[index], "batch": map[string]any{"header": batch.Header, "signature": batch.Signature},
			}
			body, _ := json.Marshal(claim)
			entry, err := VerifyProof(body, vectors.Keys)
			if err != nil || entry.HeaderHash != batch.HeaderHash {
				t.Errorf("%+v %v", entry, err)
				continue
			}
			proven++
			for name, other := range map[string]any{
				"entry": json.RawMessage(bytes.Replace(batch.Entries[index], []byte(`"outcomes"`), []byte(`"Outcomes"`), 1)),
				"index": index + 1,
				"size":  len(batch.Entries) + 1,
				"proof": append([]string{batch.LeafHashes[index]}, proof...),
			} {
				original := claim[name]
				claim[name] = other
				changed, _ := json.Marshal(claim)
				claim[name] = original
				if _, err := VerifyProof(changed, vectors.Keys); !errors.Is(err, ErrUnproven) {
					t.Errorf("another %s: %v", name, err)
				}
			}
		}
	}
	if proven < 13 {
		t.Errorf("only %d entries were proven", proven)
	}
}

func TestMerkleTreesAreThoseOfRFC6962(t *testing.T) {
	var rfc struct{ Leaves, Roots []string }
	readVectors(t, "test/vectors/rfc6962.json", &rfc)
	var leaves []hash
	for size, root := range rfc.Roots {
		if got := merkleRoot(leaves); hex.EncodeToString(got[:]) != root {
			t.Errorf("root of %d leaves: %x", size, got)
		}
		if size < len(rfc.Leaves) {
			leaves = append(leaves, leafHash(fromHex(rfc.Leaves[size])))
		}
	}
	var vectors struct {
		Cases []struct {
			File              string
			LeafIdx, TreeSize uint64
			Root, LeafHash    string
			Proof             []string
			WantErr           bool
		}
	}
	readVectors(t, "test/vectors/merkle-inclusion.json", &vectors)
	for _, each := range vectors.Cases {
		texts := append([]string{each.LeafHash, each.Root}, each.Proof...)
		hashes := make([]hash, len(texts))
		wellFormed := true
		for index, text := range texts {
			decoded, err := base64.StdEncoding.DecodeString(text)
			wellFormed = wellFormed && err == nil && len(decoded) == 32
			copy(hashes[index][:], decoded)
		}
		holds := wellFormed && includes(hashes[0], int64(each.LeafIdx), int64(each.TreeSize), hashes[2:], hashes[1])
		if holds == each.WantErr {
			t.Errorf("%s: %t", each.File, holds)
		}
	}
}

func TestProofsAreTakenOnlyAsTheyWereWritten(t *testing.T) {
	var vectors struct {
		Keys    []PublisherKey
		Text    string
		Refused []struct{ Name, From, To string }
	}
	readVectors(t, "test/vectors/proof-texts.json", &vectors)
	if _, err := VerifyProof([]byte(vectors.Text), vectors.Keys); err != nil {
		t.Fatal(err)
	}
	for _, each := range vectors.Refused {
		changed := strings.Replace(vectors.Text, each.From, each.To, 1)
		if _, err := VerifyProof([]byte(changed), vectors.Keys); !errors.Is(err, ErrUnproven) {
			t.Errorf("%s: %v", each.Name, err)
		}
	}
}
