/**
 * The next candle on which something can happen: low ≤ floor or high ≥ ceiling.
 *
 * Prices are compared as codes of 16 bits (pyramid.ts), those of sixteen candles or nodes at once. The result is a mask of one bit each, and the
 * first set bit is found without a branch. So a search has one branch that the processor cannot predict (how far to climb); comparing one
 * after another would have one per level. A price that touches has a code that does, and few others have, so the candle that is found is
 * compared as it is.
 */
import { BLOCK, BLOCK_SHIFT, LAST_CODE, LINE, LINE_SHIFT, WHOLES } from '../layout'
import { codeScales, codes, codes16, codes256, high, low } from './scene'

export class Search {
  /**
   * Index of the first candle at or after `from` that touches floor or ceiling; `to` or more when there is none before `to`.
   * Inlined into the calling loop: a call would have to save all the numbers that the loop holds in registers.
   */
  @inline
  static nextTouch(from: i32, to: i32, floor: f64, ceiling: f64): i32 {
    const levels = f64x2.replace_lane(f64x2.splat(floor), 1, ceiling)
    let i = from
    while (i < to) {
      const scale = codeScales + (usize(i >> BLOCK_SHIFT) << 4)
      const both = Sixteen.codesOf(levels, scale)
      const floors = v128.shuffle<i16>(both, both, 0, 0, 0, 0, 0, 0, 0, 0)
      const ceilings = v128.shuffle<i16>(both, both, 4, 4, 4, 4, 4, 4, 4, 4)
      const at = usize(i)
      let line = at >> LINE_SHIFT
      let mask = Sixteen.touched(codes, line, floors, ceilings) & (-1 << (i32(at) & 15))
      if (mask == 0) {
        let node = line
        line = node >> LINE_SHIFT
        mask = Sixteen.touched(codes16, line, floors, ceilings) & Sixteen.after(node)
        if (mask == 0) {
          node = line
          line = node >> LINE_SHIFT
          mask = Sixteen.touched(codes256, line, floors, ceilings) & Sixteen.after(node)
          // A block has two of these lines.
          if (mask == 0 && (line & 1) == 0) mask = Sixteen.touched(codes256, ++line, floors, ceilings)
          if (mask == 0) {
            i = (i | (BLOCK - 1)) + 1
            continue
          }
          line = Sixteen.below(line, mask)
          mask = Sixteen.touched(codes16, line, floors, ceilings)
        }
        line = Sixteen.below(line, mask)
        mask = Sixteen.touched(codes, line, floors, ceilings)
      }
      i = i32(Sixteen.below(line, mask))
      const found = usize(i) << 3
      if (load<f64>(low + found) <= floor || load<f64>(high + found) >= ceiling) break
      i++
    }
    return i
  }
}

class Sixteen {
  /** The codes of two prices by the scale of a block, in the lowest bits of the two lanes: `codeOf` of pyramid.ts. */
  @inline
  static codesOf(prices: v128, scale: usize): v128 {
    const wholes = f64x2.add(f64x2.mul(prices, v128.load64_splat(scale)), v128.load64_splat(scale, 8))
    return f64x2.pmin(f64x2.pmax(wholes, f64x2.splat(f64(WHOLES))), f64x2.splat(f64(WHOLES + LAST_CODE)))
  }

  /** One bit for each of the sixteen candles or nodes of a line. */
  @inline
  static touched(lines: usize, line: usize, floors: v128, ceilings: v128): i32 {
    const at = lines + line * LINE
    const a = v128.or(i16x8.le_u(v128.load(at), floors), i16x8.ge_u(v128.load(at, 32), ceilings))
    const b = v128.or(i16x8.le_u(v128.load(at, 16), floors), i16x8.ge_u(v128.load(at, 48), ceilings))
    return i8x16.bitmask(i8x16.narrow_i16x8_s(a, b))
  }

  /** Bits of those after this one. */
  @inline
  static after(one: usize): i32 {
    return -2 << (i32(one) & 15)
  }

  /** The line below the first touched node of this line, or the candle. */
  @inline
  static below(line: usize, mask: i32): usize {
    return (line << LINE_SHIFT) + usize(ctz(mask))
  }
}
