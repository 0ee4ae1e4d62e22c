/**
 * The next candle on which something can happen: low ≤ floor or high ≥ ceiling.
 *
 * Eight candles, or eight nodes of the pyramid, are compared at once. The result is a mask of two bits each, and the first set
 * bit is found without a branch. So a search has one branch that the processor cannot predict (how far to climb); comparing one
 * after another would have one per level.
 */
import { SHIFT_1, SHIFT_2, SHIFT_3, SHIFT_4 } from '../layout'
import { high, highest1, highest2, highest3, highest4, low, lowest1, lowest2, lowest3, lowest4 } from './scene'

export class Search {
  /**
   * Index of the first candle at or after `from` that touches floor or ceiling; `to` or more when there is none before `to`.
   * Inlined into the calling loop: a call would have to save all the numbers that the loop holds in registers.
   */
  @inline
  static nextTouch(from: i32, to: i32, floor: f64, ceiling: f64): i32 {
    const floors = f64x2.splat(floor)
    const ceilings = f64x2.splat(ceiling)
    const at = usize(from)
    let group = at & ~7
    let mask = Eight.touched(low, high, group, floors, ceilings) & Eight.from(at)
    if (mask == 0) {
      let node = at >> SHIFT_1
      group = node & ~7
      mask = Eight.touched(lowest1, highest1, group, floors, ceilings) & Eight.after(node)
      if (mask == 0) {
        node = at >> SHIFT_2
        group = node & ~7
        mask = Eight.touched(lowest2, highest2, group, floors, ceilings) & Eight.after(node)
        if (mask == 0) {
          node = at >> SHIFT_3
          group = node & ~7
          mask = Eight.touched(lowest3, highest3, group, floors, ceilings) & Eight.after(node)
          if (mask == 0) {
            const end = usize((to + (1 << SHIFT_4) - 1) >> SHIFT_4)
            node = (at >> SHIFT_4) + 1
            while (
              node < end &&
              load<f64>(lowest4 + (node << 3)) > floor &&
              load<f64>(highest4 + (node << 3)) < ceiling
            ) {
              node++
            }
            if (node >= end) return to
            group = node << SHIFT_1
            mask = Eight.touched(lowest3, highest3, group, floors, ceilings)
          }
          group = Eight.below(group, mask)
          mask = Eight.touched(lowest2, highest2, group, floors, ceilings)
        }
        group = Eight.below(group, mask)
        mask = Eight.touched(lowest1, highest1, group, floors, ceilings)
      }
      group = Eight.below(group, mask)
      mask = Eight.touched(low, high, group, floors, ceilings)
    }
    return i32(group) + (ctz(mask) >> 1)
  }
}

class Eight {
  /** Two bits for each of the eight candles or nodes from `group` on. */
  @inline
  static touched(lows: usize, highs: usize, group: usize, floors: v128, ceilings: v128): i32 {
    const l = lows + (group << 3)
    const h = highs + (group << 3)
    const a = v128.or(f64x2.le(v128.load(l), floors), f64x2.ge(v128.load(h), ceilings))
    const b = v128.or(f64x2.le(v128.load(l, 16), floors), f64x2.ge(v128.load(h, 16), ceilings))
    const c = v128.or(f64x2.le(v128.load(l, 32), floors), f64x2.ge(v128.load(h, 32), ceilings))
    const d = v128.or(f64x2.le(v128.load(l, 48), floors), f64x2.ge(v128.load(h, 48), ceilings))
    return i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d)))
  }

  /** Bits of this one and those after it. */
  @inline
  static from(one: usize): i32 {
    return -1 << ((i32(one) & 7) << 1)
  }

  /** Bits of those after this one. */
  @inline
  static after(one: usize): i32 {
    return -2 << (((i32(one) & 7) << 1) | 1)
  }

  /** The group below the first touched node of this group. */
  @inline
  static below(group: usize, mask: i32): usize {
    return (group + usize(ctz(mask) >> 1)) << SHIFT_1
  }
}
