// Packs what people install: `npm run package` makes .cache/package/signalbox-VERSION.tgz, for `npm install -g FILE` and `npx FILE`.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord, ownJson } from '../src/lib/parse-json.ts'
import { buildTo } from './build.mjs'
import { runNpm } from './lib/run-npm.mjs'
import { root, say } from './lib/say.mjs'

/** The bundle has the rest in it; these are native or loaded on demand. */
const neededAtRunTime = ['@lydell/node-pty', 'better-sqlite3', 'pg']

const source = ownJson(readFileSync(join(root, 'package.json'), 'utf8'), 'package.json', isRecord)
const folder = join(root, '.cache', 'package')
const content = join(folder, 'content')
const take = (group: string, names?: readonly string[]): Record<string, unknown> => {
  const all = isRecord(source[group]) ? source[group] : {}
  return Object.fromEntries(Object.entries(all).filter(([name]) => !names || names.includes(name)))
}

rmSync(folder, { recursive: true, force: true })
mkdirSync(content, { recursive: true })
await buildTo(join(content, 'dist'), process.execPath)
cpSync(join(root, 'scripts', 'lib', 'package-entry.cjs'), join(content, 'signalbox.cjs'))
for (const name of ['README.md', 'LICENSE', 'config.example.toml']) cpSync(join(root, name), join(content, name))
const { name, version, description, license } = source
const packed = {
  name,
  version,
  description,
  license,
  type: 'module',
  bin: { signalbox: 'signalbox.cjs' },
  // Advice for npm; the program itself checks, and says more.
  engines: { node: '>=22.12' },
  dependencies: take('dependencies', neededAtRunTime),
  optionalDependencies: take('optionalDependencies', ['@napi-rs/keyring']),
}
writeFileSync(join(content, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`)
const { code, output } = await runNpm(['pack', '--pack-destination', folder], content)
rmSync(content, { recursive: true, force: true })
if (code !== 0) throw new Error(`npm pack failed:\n${output}`)
say(`Packed .cache/package/${String(name)}-${String(version)}.tgz.`)
