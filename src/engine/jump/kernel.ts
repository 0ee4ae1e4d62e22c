import { KERNEL } from './kernel-code.ts'

/**
 * The kernel (`assembly/`, compiled to WebAssembly): the work done for every config on every block of candles. It runs in the
 * memory that holds the candles; `layout.ts` says where everything is.
 */
export interface Kernel {
  /** Reads the scene that begins at this byte. */
  setScene(at: number): void
  /** Walks the configs in the slots 0 ≤ slot < configs over the candles from ≤ i < to of one block. Configs of one family share deals. */
  walkBlock(configs: number, from: number, to: number): void
  /** The same, and sums how much quote deals used and how long. */
  useBlock(configs: number, from: number, to: number): void
  /** The same, and sums daily returns. */
  returnBlock(configs: number, from: number, to: number): void
  /** The same, and observes all that metrics need. */
  watchBlock(configs: number, from: number, to: number): void
  /** The same for slots that all have one config, watched and with levels per deal; a block has STARTS_BLOCK candles. */
  watchStarts(configs: number, from: number, to: number): void
  /** The same for slot 0 alone, which shares nothing, and reports its deals: logged with the lowest value of each. Returns the number of log entries. */
  reportBlock(from: number, to: number): number
}

let compiled: WebAssembly.Module | undefined

export function createKernel(memory: WebAssembly.Memory): Kernel {
  compiled ??= new WebAssembly.Module(bytesOf(KERNEL))
  // For steps with so many decimals that no double holds the power of ten.
  const rounding = { nearestDecimal: (numerator: number, decimals: number) => Number(`${numerator}e-${decimals}`) }
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory }, rounding })
  return exports as unknown as Kernel // index.ts of the kernel exports exactly these
}

/** Each thread does it once: one index after the other takes a sixth of what `Uint8Array.from` takes. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}
