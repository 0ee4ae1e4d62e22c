/** The bytes of a block of the page: base64 of deflated bytes, as text of an element that no browser runs. */
export async function readBlock(id: string): Promise<Uint8Array> {
  const text = document.getElementById(id)?.textContent
  if (text === undefined || text === null) throw new Error(`the page has no block ${id}`)
  const packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
