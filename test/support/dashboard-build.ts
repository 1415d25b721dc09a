import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const built = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'dist', 'web')
const names = /["'`](?:\.\/|\/)?((?:assets\/)?[\w.-]+\.js)["'`]/g

/** A built part of the dashboard; its address is its name from the root. */
export const builtText = (name: string): string => readFileSync(join(built, name), 'utf8')

export const gzippedSize = (name: string): number => gzipSync(readFileSync(join(built, name)), { level: 6 }).length

/** Every script that the page of this build can load. Scripts of older builds are kept for a while. */
export function builtScripts(): string[] {
  const found = new Set(['service-worker.js'])
  const open = scriptsNamedIn(builtText('index.html'), '')
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue
    found.add(name)
    open.push(...scriptsNamedIn(builtText(name), posix.dirname(name)))
  }
  return [...found]
}

function scriptsNamedIn(text: string, folder: string): string[] {
  return [...text.matchAll(names)].flatMap(([, name = '']) => {
    const path = name.startsWith('assets/') ? name : posix.join(folder, name)
    return isThere(path) ? [path] : []
  })
}

function isThere(name: string): boolean {
  try {
    return builtText(name) !== ''
  } catch {
    return false
  }
}
