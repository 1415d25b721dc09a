import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildSync } from 'esbuild'
import { root } from '../../scripts/lib/say.mjs'

const folder = join(root, '.cache', 'bundled')

/** A test program bundled into one file, for tests that start it hundreds of times: it takes a fifth of the CPU time. */
export function bundled(entry: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    logLevel: 'error',
  })
  const [file] = outputFiles
  if (!file) throw new Error(`esbuild made nothing of ${entry}`)
  const hash = createHash('sha256').update(file.contents).digest('hex').slice(0, 16)
  const path = join(folder, `${basename(entry, '.ts')}-${hash}.mjs`)
  mkdirSync(folder, { recursive: true })
  // Atomically: another worker may be about to start it.
  writeFileSync(`${path}.${process.pid}`, file.contents)
  renameSync(`${path}.${process.pid}`, path)
  return path
}
