import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from './lock.mjs'
import { root } from './say.mjs'

// The same paths as in ./signalbox. The time of a folder reveals removed files.
const sources = [
  'src',
  'web',
  'package.json',
  'package-lock.json',
  ...['build.mjs', 'build-program.ts', 'build-web.ts'].map((name) => `scripts/${name}`),
]

/** Builds dist/ when a source is newer than the last build. @param {string} node @param {boolean} always */
export async function ensureBuilt(node, always) {
  if (!always && isFresh()) return
  await withLock(async () => {
    if (!always && isFresh()) return
    const { build } = await import('../build.mjs')
    await build(node)
  })
}

function isFresh() {
  const stamp = join(root, 'dist', '.stamp')
  if (!existsSync(stamp) || !existsSync(join(root, 'dist', 'signalbox.js'))) return false
  const built = statSync(stamp).mtimeMs
  return !sources.some((source) => hasNewer(join(root, source), built))
}

/** @param {string} path @param {number} than @returns {boolean} */
function hasNewer(path, than) {
  const stat = statSync(path)
  if (stat.mtimeMs > than) return true
  return stat.isDirectory() && readdirSync(path).some((name) => hasNewer(join(path, name), than))
}
