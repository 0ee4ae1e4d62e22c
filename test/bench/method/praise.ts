/** Which sentences of an examination call what they speak of good (PROTOCOL.md, (e)). */

/** Where there is no doubt at all: the only sentence that speaks for a result. */
const NOTHING_FOUND = 'nothing found that speaks against'

const PRAISE =
  /\b(good|great|excellent|strong|solid|sound|robust|stable|reliabl[ey]|trustworthy|significant(ly)?|confident(ly)?|confirmed|proven|proves|safe(ly)?|sure(ly)?|skil+ful|genuine|real edge|passe[sd]|beats?|outperforms?|recommend(ed)?|worth|will (make|earn|win|gain|profit)|can be expected|expect(ed)? profit)\b/i

/** @param lines of an examination in words */
export function praiseIn(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.includes(NOTHING_FOUND) || PRAISE.test(line))
}
