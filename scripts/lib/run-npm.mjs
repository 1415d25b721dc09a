import { spawn } from 'node:child_process'
import { basename } from 'node:path'

const quiet = ['--loglevel=error', '--no-audit', '--no-fund', '--no-progress', '--no-update-notifier']

/** Runs npm quietly, and ends it with this process. @param {string[]} args @param {string} folder @returns {Promise<{ code: number | null, output: string }>} */
export function runNpm(args, folder) {
  const [command, ...before] = npmCommand()
  const child = spawn(command, [...before, ...args, ...quiet], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32' && command === 'npm',
  })
  const kill = () => child.kill()
  process.on('exit', kill)
  let output = ''
  /** @param {Buffer} chunk */
  const keep = (chunk) => (output += chunk.toString())
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 127, output: `${output}${error.message}\n` }))
    child.on('close', (code) => resolve({ code, output }))
  }).finally(() => process.off('exit', kill))
}

/** The npm of `npm run`, else the one on the PATH. @returns {[string, ...string[]]} */
function npmCommand() {
  const cli = process.env['npm_execpath']
  if (!cli || !basename(cli).startsWith('npm')) return ['npm']
  return [process.env['npm_node_execpath'] ?? process.execPath, cli]
}
