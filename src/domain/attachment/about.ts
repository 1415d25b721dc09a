/** The images that models take, by how their files begin. */
const beginnings: readonly (readonly [type: string, test: (bytes: Uint8Array) => boolean])[] = [
  ['image/png', (bytes) => has(bytes, 0, '\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (bytes) => has(bytes, 0, '\xff\xd8\xff')],
  ['image/gif', (bytes) => has(bytes, 0, 'GIF87a') || has(bytes, 0, 'GIF89a')],
  ['image/webp', (bytes) => has(bytes, 0, 'RIFF') && has(bytes, 8, 'WEBP')],
]

const has = (bytes: Uint8Array, at: number, text: string): boolean =>
  Array.from(text).every((letter, index) => bytes[at + index] === letter.charCodeAt(0))

/** Null if it is none of them, whatever its name says. */
export const imageType = (bytes: Uint8Array): string | null => beginnings.find(([, test]) => test(bytes))?.[0] ?? null

export const isShownImage = (type: string): boolean => beginnings.some(([known]) => known === type)
