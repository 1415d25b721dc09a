import { runNpm } from './run-npm.mjs'
import { progress, Refusal, root, say, seconds } from './say.mjs'

// No package needs its install script: prebuilt parts are separate packages.
const args = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-engine-strict']

export async function npmCi() {
  const started = Date.now()
  const done = progress('Installing packages (about 500 MB, once)')
  const { code, output } = await runNpm(args, root).finally(done)
  if (code === 0) return say(`Installed packages in ${seconds(started)}.`)
  const last = output.trimEnd().split('\n').slice(-12)
  throw new Refusal(['npm ci failed:', '', ...last.map((line) => `  ${line}`), '', advice(output)].join('\n'))
}

/** @type {[RegExp, string][]} */
const causes = [
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|network/,
    'The package registry could not be reached. Check the network, and npm’s proxy and registry settings (npm config list).',
  ],
  [
    /ENOSPC/,
    'The disk is full. About 500 MB are needed here and as much again in npm’s cache (npm cache clean --force).',
  ],
  [
    /EACCES|EPERM|EROFS/,
    `A file may not be written. Check who owns ${root} and npm’s cache (npm config get cache); running once with sudo leaves files of root behind.`,
  ],
  [
    /EBADPLATFORM/,
    `A package does not exist for ${process.platform}-${process.arch}. Use Linux (x64, arm64) or macOS.`,
  ],
  [/EUSAGE|in sync/, 'package.json and package-lock.json disagree. If you changed package.json, run: npm install'],
  [
    /E401|E403|E404|ETARGET/,
    'The registry does not hand out a package. Check npm’s registry setting (npm config list).',
  ],
  [/EINTEGRITY/, 'A download is damaged. Run npm cache clean --force and try again.'],
  [/ENOENT.*npm|npm.*ENOENT/, 'npm was not found. It comes with Node.js; install Node 24 with npm and try again.'],
]

/** @param {string} output */
function advice(output) {
  const known = causes.find(([sign]) => sign.test(output))?.[1]
  return known ?? 'Run npm ci to see its full output, then try again.'
}
