import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Whether Debian packages can be installed without a password. */
export const canUseApt = () =>
  process.getuid?.() === 0 && existsSync('/usr/bin/apt-get') && existsSync('/etc/debian_version')

/** @param {string[]} packages @returns {Promise<string>} what it printed */
export async function aptInstall(...packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const wait = ['-q', '-o', 'DPkg::Lock::Timeout=300']
  const updated = await run('apt-get', [...wait, 'update'], env)
  return updated + (await run('apt-get', [...wait, 'install', '-y', '--no-install-recommends', ...packages], env))
}

/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} env @returns {Promise<string>} what it printed */
export function run(command, args, env) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  /** @param {Buffer} chunk */
  const keep = (chunk) => (output += chunk.toString())
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(`${output}${error.message}\n`))
    child.on('close', () => resolve(output))
  })
}
