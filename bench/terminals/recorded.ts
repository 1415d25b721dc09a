import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The text of a recording, read from its files without any code of ours. */
export function recordedText(home: string, id: string): string {
  const directory = join(home, 'terminals', id)
  const parts: string[] = []
  for (const name of readdirSync(directory)
    .filter((file) => file.endsWith('.cast'))
    .toSorted())
    for (const line of readFileSync(join(directory, name), 'utf8').split('\n').slice(1)) {
      const [, kind, text] = line === '' ? [] : (JSON.parse(line) as [number, string, string])
      if (kind === 'o' && text !== undefined) parts.push(text)
    }
  return parts.join('')
}
