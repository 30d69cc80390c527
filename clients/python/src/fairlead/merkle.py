"""Merkle trees (RFC 6962 section 2.1)."""

from fairlead.canonical import sha256


def leaf_hash(data):
    return sha256(b"\x00" + data)


def node_hash(left, right):
    return sha256(b"\x01" + left + right)


def merkle_root(leaves):
    """RFC 6962 section 2.1, as it is worded there."""
    if not leaves:
        return sha256(b"")
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    return node_hash(merkle_root(leaves[:split]), merkle_root(leaves[split:]))


def inclusion_holds(leaf, index, size, proof, root):
    """RFC 9162 section 2.1.3.2."""
    if not 0 <= index < size or len(leaf) != 32:
        return False
    own, last, value = index, size - 1, leaf
    for sibling in proof:
        if last == 0 or len(sibling) != 32:
            return False
        if own % 2 == 1 or own == last:
            value = node_hash(sibling, value)
            while own % 2 == 0 and own != 0:
                own, last = own >> 1, last >> 1
        else:
            value = node_hash(value, sibling)
        own, last = own >> 1, last >> 1
    return last == 0 and value == root
