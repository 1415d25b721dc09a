// The real agents used by tests: pinned versions from npm, in a separate cache.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { runNpm } from './run-npm.mjs'
import { Refusal, root, say, seconds } from './say.mjs'

/** @typedef {'gemini' | 'claude' | 'opencode' | 'codex' | 'cline' | 'acpx'} AgentName */
/** @typedef {{ package: string, version: string, program: string, node: boolean }} Pin */

// The launcher package of OpenCode needs its install script; the package with the program itself does not.
const openCode = `opencode-${process.platform}-${process.arch}`

// The same for Cline.
const cline = `@cline/cli-${process.platform}-${process.arch}`

/** `program` lies under node_modules; `node`: it is a script for Node. @type {Record<AgentName, Pin>} */
export const pins = {
  gemini: {
    package: '@google/gemini-cli',
    version: '0.61.0',
    program: '@google/gemini-cli/bundle/gemini.js',
    node: true,
  },
  claude: {
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.99.0',
    program: '@agentclientprotocol/claude-agent-acp/dist/index.js',
    node: true,
  },
  opencode: { package: openCode, version: '1.18.33', program: `${openCode}/bin/opencode`, node: false },
  codex: {
    package: '@zed-industries/codex-acp',
    version: '0.16.0',
    program: '@zed-industries/codex-acp/bin/codex-acp.js',
    node: true,
  },
  cline: { package: cline, version: '3.0.65', program: `${cline}/bin/cline`, node: false },
  acpx: { package: 'acpx', version: '0.19.1', program: 'acpx/dist/cli.js', node: true },
}

const everyAgent = /** @type {AgentName[]} */ (Object.keys(pins))
const atOnce = 2
const beat = 5000

export function agentsCache() {
  return resolve(process.env['SIGNALBOX_AGENTS_CACHE'] ?? join(root, 'node_modules', '.cache', 'signalbox-agents'))
}

/** @param {AgentName} name */
export function agentFolder(name) {
  return join(agentsCache(), `${name}@${pins[name].version}`)
}

/** @param {AgentName} name */
export function agentProgram(name) {
  return join(agentFolder(name), 'node_modules', pins[name].program)
}

/** Installs what is missing and reports progress. @param {readonly AgentName[]} names */
export async function ensureAgents(names = everyAgent) {
  const missing = names.filter((name) => !existsSync(agentProgram(name)))
  if (missing.length === 0) return
  mkdirSync(agentsCache(), { recursive: true })
  removeUnfinished()
  const started = Date.now()
  say(`Installing agents for the tests (once): ${missing.map(titleOf).join(', ')} …`)
  const queue = missing.values()
  /** @type {unknown[]} */
  const failures = []
  const worker = async () => {
    for (const name of queue) await install(name).catch((error) => failures.push(error))
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failures.length > 0) throw failures[0]
  say(`Installed ${missing.length} agents in ${seconds(started)}.`)
}

/** Installs into a temporary folder that is renamed when complete. @param {AgentName} name */
async function install(name) {
  const started = Date.now()
  const aside = join(agentsCache(), `${unfinished}${name}-${process.pid}`)
  rmSync(aside, { recursive: true, force: true })
  mkdirSync(aside)
  writeFileSync(join(aside, 'package.json'), '{ "private": true }\n')
  const report = async () => `  ${titleOf(name)}: ${await megabytes(aside)} MB, ${seconds(started)}`
  const heart = setInterval(() => void report().then((line) => say(`${line} …`)), beat)
  const { code, output } = await npmInstall(aside, `${pins[name].package}@${pins[name].version}`)
  clearInterval(heart)
  if (code !== 0 || !existsSync(join(aside, 'node_modules', pins[name].program))) {
    rmSync(aside, { recursive: true, force: true })
    throw new Refusal(failure(name, output))
  }
  say(await report())
  publish(aside, agentFolder(name))
}

/** Another run may have finished first, and its programs may be running: a complete install is kept. @param {string} aside @param {string} folder */
function publish(aside, folder) {
  try {
    renameSync(aside, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(aside, { recursive: true, force: true })
  }
}

const unfinished = '.unfinished-'

/** Removes leftovers of interrupted installs; the folder of a running install is not touched. */
function removeUnfinished() {
  for (const entry of readdirSync(agentsCache())) {
    if (!entry.startsWith(unfinished) || isRunning(Number(entry.split('-').at(-1)))) continue
    rmSync(join(agentsCache(), entry), { recursive: true, force: true })
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** @param {string} folder @param {string} wanted */
const npmInstall = (folder, wanted) =>
  runNpm(['install', '--ignore-scripts', '--no-package-lock', '--include=optional', wanted], folder)

/** @param {AgentName} name @param {string} output */
function failure(name, output) {
  const last = output.trimEnd().split('\n').slice(-12)
  return [
    `The agent ${titleOf(name)} could not be installed for the tests:`,
    '',
    ...last.map((line) => `  ${line}`),
    '',
    'Check the network and npm’s settings (npm config list), then run the tests again: what is complete is kept.',
  ].join('\n')
}

/** @param {AgentName} name */
function titleOf(name) {
  return `${name} ${pins[name].version}`
}

/** @param {string} folder */
async function megabytes(folder) {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue
    const file = await lstat(join(entry.parentPath, entry.name)).catch(() => null)
    bytes += file?.size ?? 0
  }
  return Math.round(bytes / 1e6)
}
