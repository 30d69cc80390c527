package org.fairlead.client;

import java.util.Arrays;
import java.util.List;

/** Merkle trees, RFC 6962 section 2.1. Leaves and nodes are hashed under different first bytes. */
final class Merkle {
    private static final byte[] LEAF = {0};
    private static final byte[] NODE = {1};

    private Merkle() {}

    static byte[] leafHash(byte[] data) {
        return Bytes.sha256(LEAF, data);
    }

    static byte[] nodeHash(byte[] left, byte[] right) {
        return Bytes.sha256(NODE, left, right);
    }

    static byte[] root(List<byte[]> leaves) {
        if (leaves.isEmpty()) return Bytes.sha256();
        if (leaves.size() == 1) return leaves.get(0);
        int split = Integer.highestOneBit(leaves.size() - 1);
        return nodeHash(root(leaves.subList(0, split)), root(leaves.subList(split, leaves.size())));
    }

    /** RFC 9162 section 2.1.3.2: the leaf stands at this index of the tree of this size and root. */
    static boolean includes(byte[] leaf, long index, long size, List<byte[]> proof, byte[] root) {
        if (index < 0 || index >= size || leaf.length != 32) return false;
        long own = index;
        long last = size - 1;
        byte[] hash = leaf;
        for (byte[] sibling : proof) {
            if (last == 0 || sibling.length != 32) return false;
            if (own % 2 == 1 || own == last) {
                hash = nodeHash(sibling, hash);
                for (; own % 2 == 0 && own != 0; own /= 2) last /= 2;
            } else {
                hash = nodeHash(hash, sibling);
            }
            own /= 2;
            last /= 2;
        }
        return last == 0 && Arrays.equals(hash, root);
    }
}
