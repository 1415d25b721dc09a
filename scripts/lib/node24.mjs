import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { Refusal, root } from './say.mjs'

const wanted = [24, 11]

/** The Node that runs this if it is new enough, else the one that came with the packages. */
export function findNode24() {
  if (isNewEnough(process.versions.node)) return process.execPath
  const packed = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(packed)) return packed
  throw new Refusal(tooOld())
}

/** @param {string} version */
function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 11)
}

function tooOld() {
  return [
    `Signalbox needs Node ${wanted.join('.')} or newer; this is Node ${process.versions.node}, and no Node comes with the`,
    `packages for ${process.platform}-${process.arch}. Install Node 24 (nodejs.org, or: nvm install 24, brew install node@24)`,
    'and run the same command again.',
  ].join('\n')
}

/**
 * Replaces this process if Node supports it, so that signals and exit codes are the program's own; else runs it as a child.
 * @param {string} node @param {string[]} args
 */
export async function runUnder(node, args) {
  if (process.execve && node === process.execPath && process.platform !== 'win32') {
    process.removeAllListeners('warning')
    process.execve(node, [node, ...args], definedOnly(process.env))
  }
  const child = spawn(node, args, { stdio: 'inherit' })
  forwardSignals(child)
  await new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Refusal(`${node} does not run here (${error.message}).\n${tooOld()}`)))
    child.on('exit', (code, signal) => {
      process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0)
      resolve(undefined)
    })
  })
}

/** @param {import('node:child_process').ChildProcess} child */
function forwardSignals(child) {
  // Ctrl-C in a terminal also reaches the child; passing it on would send it twice.
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT')
  })
  /** @type {NodeJS.Signals[]} */
  const others = ['SIGTERM', 'SIGHUP', 'SIGUSR2']
  for (const signal of others) process.on(signal, () => child.kill(signal))
}

/** @param {NodeJS.ProcessEnv} env @returns {Record<string, string>} */
function definedOnly(env) {
  /** @type {Record<string, string>} */
  const defined = {}
  for (const [key, value] of Object.entries(env)) if (value !== undefined) defined[key] = value
  return defined
}
