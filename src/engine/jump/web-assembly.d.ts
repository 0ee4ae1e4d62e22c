/** The parts of WebAssembly that the engine uses. Neither ES2023's library nor Node's types declare them. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number; maximum: number; shared: boolean })
    /** Of a memory that is not shared, an ArrayBuffer. */
    readonly buffer: SharedArrayBuffer
    /** Adds pages; returns how many there were. */
    grow(pages: number): number
  }
  class Module {
    constructor(bytes: Uint8Array)
  }
  function compile(bytes: Uint8Array): Promise<Module>
  class Instance {
    constructor(module: Module, imports: object)
    readonly exports: object
  }
}
