package fairlead

import "crypto/sha256"

type hash = [sha256.Size]byte

// leafHash and nodeHash are those of RFC 6962 section 2.1: under different first bytes, so that no node passes for a leaf.
func leafHash(data []byte) hash { return sha256.Sum256(append([]byte{0}, data...)) }

func nodeHash(left, right hash) hash {
	return sha256.Sum256(append(append([]byte{1}, left[:]...), right[:]...))
}

// merkleRoot keeps the roots of complete subtrees, largest first: one for each bit set in the number of leaves.
func merkleRoot(leaves []hash) hash {
	if len(leaves) == 0 {
		return sha256.Sum256(nil)
	}
	var subtrees []hash
	for size, leaf := range leaves {
		for bits := size; bits&1 == 1; bits >>= 1 {
			leaf = nodeHash(subtrees[len(subtrees)-1], leaf)
			subtrees = subtrees[:len(subtrees)-1]
		}
		subtrees = append(subtrees, leaf)
	}
	root := subtrees[len(subtrees)-1]
	for at := len(subtrees) - 2; at >= 0; at-- {
		root = nodeHash(subtrees[at], root)
	}
	return root
}

// includes is RFC 9162 section 2.1.3.2: the leaf stands at this index of the tree of this size and root.
func includes(leaf hash, index, size int64, proof []hash, root hash) bool {
	if index < 0 || index >= size {
		return false
	}
	own, last := index, size-1
	for _, sibling := range proof {
		if last == 0 {
			return false
		}
		if own&1 == 1 || own == last {
			leaf = nodeHash(sibling, leaf)
			for own&1 == 0 && own != 0 {
				own, last = own>>1, last>>1
			}
		} else {
			leaf = nodeHash(leaf, sibling)
		}
		own, last = own>>1, last>>1
	}
	return last == 0 && leaf == root
}
