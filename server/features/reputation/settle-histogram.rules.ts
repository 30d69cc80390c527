/**
 * Settle times are kept as a histogram over this table: bucket `i` holds the whole seconds above `bounds[i - 1]` up
 * to and including `bounds[i]`; whatever exceeds 90 days is in the last one. Exact to 100 s, with steps of at most 2 %
 * above that. Stored roll-ups hold indexes into this table, so it must never be changed in place.
 */
export const settleBounds: readonly number[] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
  29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55,
  56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82,
  83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 102, 104, 106, 108, 110, 112, 114,
  116, 118, 120, 122, 124, 126, 128, 130, 132, 134, 136, 138, 140, 142, 144, 146, 148, 150, 153, 156, 159,
  162, 165, 168, 171, 174, 177, 180, 183, 186, 189, 192, 195, 198, 201, 205, 209, 213, 217, 221, 225, 229,
  233, 237, 241, 245, 249, 253, 258, 263, 268, 273, 278, 283, 288, 293, 298, 303, 309, 315, 321, 327, 333,
  339, 345, 351, 358, 365, 372, 379, 386, 393, 400, 408, 416, 424, 432, 440, 448, 456, 465, 474, 483, 492,
  501, 511, 521, 531, 541, 551, 562, 573, 584, 595, 606, 618, 630, 642, 654, 667, 680, 693, 706, 720, 734,
  748, 762, 777, 792, 807, 823, 839, 855, 872, 889, 906, 924, 942, 960, 979, 998, 1017, 1037, 1057, 1078,
  1099, 1120, 1142, 1164, 1187, 1210, 1234, 1258, 1283, 1308, 1334, 1360, 1387, 1414, 1442, 1470, 1499, 1528,
  1558, 1589, 1620, 1652, 1685, 1718, 1752, 1787, 1822, 1858, 1895, 1932, 1970, 2009, 2049, 2089, 2130, 2172,
  2215, 2259, 2304, 2350, 2397, 2444, 2492, 2541, 2591, 2642, 2694, 2747, 2801, 2857, 2914, 2972, 3031, 3091,
  3152, 3215, 3279, 3344, 3410, 3478, 3547, 3617, 3689, 3762, 3837, 3913, 3991, 4070, 4151, 4234, 4318, 4404,
  4492, 4581, 4672, 4765, 4860, 4957, 5056, 5157, 5260, 5365, 5472, 5581, 5692, 5805, 5921, 6039, 6159, 6282,
  6407, 6535, 6665, 6798, 6933, 7071, 7212, 7356, 7503, 7653, 7806, 7962, 8121, 8283, 8448, 8616, 8788, 8963,
  9142, 9324, 9510, 9700, 9894, 10091, 10292, 10497, 10706, 10920, 11138, 11360, 11587, 11818, 12054, 12295,
  12540, 12790, 13045, 13305, 13571, 13842, 14118, 14400, 14688, 14981, 15280, 15585, 15896, 16213, 16537,
  16867, 17204, 17548, 17898, 18255, 18620, 18992, 19371, 19758, 20153, 20556, 20967, 21386, 21813, 22249,
  22693, 23146, 23608, 24080, 24561, 25052, 25553, 26064, 26585, 27116, 27658, 28211, 28775, 29350, 29937,
  30535, 31145, 31767, 32402, 33050, 33711, 34385, 35072, 35773, 36488, 37217, 37961, 38720, 39494, 40283,
  41088, 41909, 42747, 43601, 44473, 45362, 46269, 47194, 48137, 49099, 50080, 51081, 52102, 53144, 54206,
  55290, 56395, 57522, 58672, 59845, 61041, 62261, 63506, 64776, 66071, 67392, 68739, 70113, 71515, 72945,
  74403, 75891, 77408, 78956, 80535, 82145, 83787, 85462, 87171, 88914, 90692, 92505, 94355, 96242, 98166,
  100129, 102131, 104173, 106256, 108381, 110548, 112758, 115013, 117313, 119659, 122052, 124493, 126982,
  129521, 132111, 134753, 137448, 140196, 142999, 145858, 148775, 151750, 154785, 157880, 161037, 164257,
  167542, 170892, 174309, 177795, 181350, 184977, 188676, 192449, 196297, 200222, 204226, 208310, 212476,
  216725, 221059, 225480, 229989, 234588, 239279, 244064, 248945, 253923, 259001, 264181, 269464, 274853,
  280350, 285957, 291676, 297509, 303459, 309528, 315718, 322032, 328472, 335041, 341741, 348575, 355546,
  362656, 369909, 377307, 384853, 392550, 400401, 408409, 416577, 424908, 433406, 442074, 450915, 459933,
  469131, 478513, 488083, 497844, 507800, 517956, 528315, 538881, 549658, 560651, 571864, 583301, 594967,
  606866, 619003, 631383, 644010, 656890, 670027, 683427, 697095, 711036, 725256, 739761, 754556, 769647,
  785039, 800739, 816753, 833088, 849749, 866743, 884077, 901758, 919793, 938188, 956951, 976090, 995611,
  1015523, 1035833, 1056549, 1077679, 1099232, 1121216, 1143640, 1166512, 1189842, 1213638, 1237910, 1262668,
  1287921, 1313679, 1339952, 1366751, 1394086, 1421967, 1450406, 1479414, 1509002, 1539182, 1569965, 1601364,
  1633391, 1666058, 1699379, 1733366, 1768033, 1803393, 1839460, 1876249, 1913773, 1952048, 1991088, 2030909,
  2071527, 2112957, 2155216, 2198320, 2242286, 2287131, 2332873, 2379530, 2427120, 2475662, 2525175, 2575678,
  2627191, 2679734, 2733328, 2787994, 2843753, 2900628, 2958640, 3017812, 3078168, 3139731, 3202525, 3266575,
  3331906, 3398544, 3466514, 3535844, 3606560, 3678691, 3752264, 3827309, 3903855, 3981932, 4061570, 4142801,
  4225657, 4310170, 4396373, 4484300, 4573986, 4665465, 4758774, 4853949, 4951027, 5050047, 5151047, 5254067,
  5359148, 5466330, 5575656, 5687169, 5800912, 5916930, 6035268, 6155973, 6279092, 6404673, 6532766, 6663421,
  6796689, 6932622, 7071274, 7212699, 7356952, 7504091, 7654172, 7776000,
];

/** The bucket of a settle time in seconds. Defined for every number, so that no stored value can stop the aggregator. */
export function settleBucketOf(settleSeconds: number): number {
  let low = 0;
  let high = settleBounds.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((settleBounds[middle] ?? 0) >= settleSeconds) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The nearest-rank percentile of a histogram: the upper bound of the bucket that holds the value of rank
 * ⌈percent · n / 100⌉. It is never below the exact percentile and at most 2 % above it. Null without values.
 */
export function percentileSeconds(histogram: Uint32Array, percent: number): number | null {
  let total = 0;
  for (const count of histogram) total += count;
  if (total === 0) return null;
  const rank = Math.ceil((total * percent) / 100);
  let seen = 0;
  for (let bucket = 0; bucket < histogram.length; bucket++) {
    seen += histogram[bucket] ?? 0;
    if (seen >= rank) return settleBounds[bucket] ?? null;
  }
  return null;
}

/**
 * A histogram as a roll-up stores it: the index and the count of each bucket that is not empty, in order, 4 bytes
 * little-endian each. Stored as a document with a hundred members, it would make up most of the cost of a refresh.
 */
export type PackedHistogram = Uint8Array;

const entryBytes = 8;

export const emptyHistogram: PackedHistogram = new Uint8Array(0);

/** Adds changes of either sign by bucket. Throws RangeError where a count would fall below zero. */
export function changeHistogram(
  packed: PackedHistogram,
  changes: ReadonlyMap<number, number>,
): PackedHistogram {
  const counts = new Map(changes);
  forEachBucket(packed, (bucket, count) => counts.set(bucket, (counts.get(bucket) ?? 0) + count));
  const entries = [...counts].filter(([, count]) => count !== 0).sort(([a], [b]) => a - b);
  const changed = new Uint8Array(entries.length * entryBytes);
  const view = new DataView(changed.buffer);
  for (const [index, [bucket, count]] of entries.entries()) {
    if (count < 0) throw new RangeError(`bucket ${bucket} of a histogram would hold ${count}`);
    view.setUint32(index * entryBytes, bucket, true);
    view.setUint32(index * entryBytes + 4, count, true);
  }
  return changed;
}

/** Visits the buckets in order. */
export function forEachBucket(packed: PackedHistogram, visit: (bucket: number, count: number) => void): void {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let at = 0; at + entryBytes <= packed.byteLength; at += entryBytes) {
    visit(view.getUint32(at, true), view.getUint32(at + 4, true));
  }
}
