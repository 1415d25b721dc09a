import { createHash } from 'node:crypto'

/** Every encoding in which typed text may be stored, by name. */
export function formsOf(words: string): Map<string, Buffer> {
  const bytes = Buffer.from(words)
  const forms = new Map<string, Buffer>([
    ['as it is', bytes],
    ['UTF-16 LE', Buffer.from(words, 'utf16le')],
    ['UTF-16 BE', Buffer.from(words, 'utf16le').swap16()],
    ['hexadecimal', Buffer.from(bytes.toString('hex'))],
    ['hexadecimal, capitals', Buffer.from(bytes.toString('hex').toUpperCase())],
    ['URL', Buffer.from(encodeURIComponent(words))],
    ['URL, form', Buffer.from(new URLSearchParams({ x: words }).toString().slice(2))],
    ['JSON in ASCII', Buffer.from(asciiJson(words))],
    ['backwards', Buffer.from(Array.from(words).toReversed().join(''))],
    ['backwards, bytes', Buffer.from(bytes.toReversed())],
    ['SHA-256', Buffer.from(createHash('sha256').update(bytes).digest('hex'))],
    ['SHA-256 of the line', Buffer.from(createHash('sha256').update(`${words}\n`).digest('hex'))],
  ])
  // Wherever it begins within a longer text, all but its edges look the same.
  for (const shift of [0, 1, 2]) {
    const coded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '')
    const core = coded.slice(shift === 0 ? 0 : shift + 1, -2)
    forms.set(`base64, ${shift}`, Buffer.from(core))
    forms.set(`base64url, ${shift}`, Buffer.from(core.replaceAll('+', '-').replaceAll('/', '_')))
  }
  return forms
}

const asciiJson = (words: string): string =>
  JSON.stringify(words)
    .slice(1, -1)
    .replaceAll(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Where it occurs, and in which form. */
export function findIn(places: ReadonlyMap<string, Buffer>, words: string): string[] {
  const forms = formsOf(words)
  return [...places].flatMap(([place, content]) =>
    [...forms].filter(([, form]) => content.includes(form)).map(([form]) => `${place} (${form})`),
  )
}
