// Container engines for the tests of containers; tests of a missing one are skipped with its name.
import { aptInstall, canUseApt } from './apt.mjs'
import { isInstalled } from './programs.mjs'
import { progress, say, seconds } from './say.mjs'

/** @typedef {'podman' | 'docker'} EngineName */

/** What each needs, with its Debian packages. @type {Record<EngineName, { programs: string[], packages: string[] }>} */
const engines = {
  podman: { programs: ['podman', 'runc', 'conmon'], packages: ['podman', 'runc'] },
  docker: { programs: ['dockerd', 'containerd', 'runc'], packages: ['docker.io', 'runc'] },
}

/** @type {EngineName[]} */
export const engineNames = ['podman', 'docker']

/** Why an engine can't be tested here; null if it can. @param {EngineName} name */
export function engineMissing(name) {
  if (process.platform !== 'linux') return `${name} needs Linux`
  const missing = engines[name].programs.filter((program) => !isInstalled(program))
  if (missing.length > 0) return `${name} is not installed (${missing.join(', ')})`
  return process.getuid?.() === 0 ? null : `the tests start ${name} as root only`
}

/** Never fails: tests of missing engines are skipped. */
export async function ensureEngines() {
  const wanted = engineNames.filter((name) => engines[name].programs.some((program) => !isInstalled(program)))
  if (process.platform !== 'linux' || wanted.length === 0) return
  if (!canUseApt()) return say(`Not here, so containers are not tested with them: ${wanted.join(', ')}.`)
  const started = Date.now()
  const done = progress(`Installing ${wanted.join(' and ')} for the tests of containers (once)`)
  const output = await aptInstall(...new Set(wanted.flatMap((name) => engines[name].packages))).finally(done)
  const left = engineNames.filter((name) => engines[name].programs.some((program) => !isInstalled(program)))
  if (left.length === 0) return say(`Installed ${wanted.join(' and ')} in ${seconds(started)}.`)
  const last = output.trimEnd().split('\n').slice(-8).join('\n  ')
  say(`Could not be installed, so containers are not tested with them: ${left.join(', ')}\n  ${last}`)
}
