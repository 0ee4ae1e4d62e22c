import { KERNEL } from './kernel-code.ts'

/**
 * The kernel (`assembly/`, compiled to WebAssembly): what is done for every config on every block of candles. It works in the memory in
 * which the candles lie; `layout.ts` says where it finds what.
 */
export interface Kernel {
  /** Reads the scene that begins at this byte. */
  setScene(at: number): void
  /** Before another flight goes on. */
  forgetDeals(): void
  /** Configs in the slots 0 ≤ slot < configs over the candles from ≤ i < to of one block; relatives share deals. */
  walkBlock(configs: number, from: number, to: number): void
  /** The same, with all that metrics need observed. Returns the entries that the last slot has logged. */
  watchBlock(configs: number, from: number, to: number): number
  /** Ends a slot's day that is next in turn, with this equity. */
  endDay(slot: number, equity: number): void
}

/** What the kernel asks for where every deal has its own rounding. */
export interface Host {
  /** Writes the first rows of a slot's deal that starts at a candle and is sure (sure.ts), or all rows of one that is not. */
  writeRows(slot: number, start: number, whole: boolean): void
  /** Writes rows of a sure deal that were left out as it began, up to this row; returns the first that is still missing, or −1. */
  writeMore(slot: number, start: number, row: number): number
}

let compiled: WebAssembly.Module | undefined

export function createKernel(memory: WebAssembly.Memory, host: Host): Kernel {
  compiled ??= new WebAssembly.Module(bytesOf(KERNEL))
  const walk = {
    writeRows: (slot: number, start: number, whole: number) => host.writeRows(slot, start, whole === 1),
    writeMore: host.writeMore,
  }
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory }, walk })
  return exports as Kernel // index.ts of the kernel exports just these
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}
