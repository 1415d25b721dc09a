import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const cache = join(import.meta.dirname, '..', '..', '.cache', 'peers')
const target = `${platform()}-${arch()}`

/** Programs that people use, from npm at a fixed version. They are not dependencies of the project. */
const programs = {
  hapi: { name: '@twsxtd/hapi', version: '0.30.7', file: `@twsxtd/hapi-${target}/bin/hapi` },
  opencode: { name: 'opencode-ai', version: '1.18.33', file: `opencode-${target}/bin/opencode` },
  ripgrep: { name: '@vscode/ripgrep', version: '1.18.0', file: `@vscode/ripgrep-${target}/bin/rg` },
} as const

export type PeerName = keyof typeof programs

/** The file to run, or why there is none. */
export type PeerProgram = { readonly file: string } | { readonly missing: string }

const installing = new Map<PeerName, Promise<PeerProgram>>()

/** Installs a peer into the cache if it is not there yet. */
export function installed(peer: PeerName): Promise<PeerProgram> {
  const known = installing.get(peer) ?? install(peer)
  installing.set(peer, known)
  return known
}

async function install(peer: PeerName): Promise<PeerProgram> {
  const { name, version, file } = programs[peer]
  const folder = join(cache, `${peer}-${version}`)
  const program = join(folder, 'node_modules', file)
  if (existsSync(program)) return { file: program }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`]
  try {
    await promisify(execFile)('npm', args, { cwd: folder, timeout: 300_000 })
  } catch (error) {
    return { missing: `npm could not install ${name}@${version}: ${String(error).slice(0, 300)}` }
  }
  return existsSync(program) ? { file: program } : { missing: `${name}@${version} has no program for ${target}` }
}
