/**
 * XXH64 with seed 0 (https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md): the checksum of Zstandard frames. Candle files
 * hardly ever have one.
 */

const P1 = 0x9e3779b185ebca87n
const P2 = 0xc2b2ae3d27d4eb4fn
const P3 = 0x165667b19e3779f9n
const P4 = 0x85ebca77c2b2ae63n
const P5 = 0x27d4eb2f165667c5n

const wrap = (value: bigint): bigint => BigInt.asUintN(64, value)
const rotate = (value: bigint, by: bigint): bigint => wrap((value << by) | (value >> (64n - by)))
const round = (lane: bigint, word: bigint): bigint => wrap(rotate(wrap(lane + word * P2), 31n) * P1)

export function xxh64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  let hash = P5
  if (bytes.length >= 32) {
    const lanes = [wrap(P1 + P2), P2, 0n, wrap(-P1)]
    for (; at + 32 <= bytes.length; at += 32) {
      for (let i = 0; i < 4; i++) lanes[i] = round(lanes[i], view.getBigUint64(at + 8 * i, true))
    }
    const [one, two, three, four] = lanes
    hash = wrap(rotate(one, 1n) + rotate(two, 7n) + rotate(three, 12n) + rotate(four, 18n))
    for (const lane of lanes) hash = wrap((hash ^ round(0n, lane)) * P1 + P4)
  }
  hash = wrap(hash + BigInt(bytes.length))
  for (; at + 8 <= bytes.length; at += 8) {
    hash = wrap(rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4)
  }
  if (at + 4 <= bytes.length) {
    hash = wrap(rotate(hash ^ wrap(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3)
    at += 4
  }
  for (; at < bytes.length; at++) hash = wrap(rotate(hash ^ wrap(BigInt(bytes[at]) * P5), 11n) * P1)
  hash = wrap((hash ^ (hash >> 33n)) * P2)
  hash = wrap((hash ^ (hash >> 29n)) * P3)
  return hash ^ (hash >> 32n)
}
