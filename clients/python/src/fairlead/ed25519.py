"""Verification of Ed25519 signatures (RFC 8032 section 5.1) in plain Python: a few milliseconds each, and not for signing."""

import hashlib

# Points are in extended coordinates.

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_SQRT_MINUS_ONE = pow(2, (_P - 1) // 4, _P)
_NEUTRAL = (0, 1, 1, 0)


def _add(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % _P
    f = (a[1] + a[0]) * (b[1] + b[0]) % _P
    g = 2 * a[3] * b[3] * _D % _P
    h = 2 * a[2] * b[2] % _P
    x, y, t, z = f - e, f + e, h - g, h + g
    return (x * t % _P, y * z % _P, t * z % _P, x * y % _P)


def _multiply(scalar, point):
    result = _NEUTRAL
    while scalar > 0:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result


def _equal(a, b):
    return (a[0] * b[2] - b[0] * a[2]) % _P == 0 and (a[1] * b[2] - b[1] * a[2]) % _P == 0


def _decompress(encoded):
    y = int.from_bytes(encoded, "little")
    sign = y >> 255
    y &= 2**255 - 1
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P != 0:
        x = x * _SQRT_MINUS_ONE % _P
    if (x * x - square) % _P != 0 or (x == 0 and sign == 1):
        return None
    if x & 1 != sign:
        x = _P - x
    return (x, y, 1, x * y % _P)


_BASE = _decompress((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little"))


def verify(public_key, message, signature):
    """Strict: canonical points, S below the group order, no small-order key, the equation without cofactor."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key = _decompress(public_key)
    point = _decompress(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or point is None or scalar >= _L or _equal(_multiply(8, key), _NEUTRAL):
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % _L
    return _equal(_multiply(scalar, _BASE), _add(point, _multiply(challenge, key)))
