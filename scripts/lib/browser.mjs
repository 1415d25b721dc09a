// Finds a Chromium for the browser tests, and gets one where none is.
import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { progress, root, say, seconds } from './say.mjs'

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']
const macApps = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)

/** @returns {string | undefined} */
export function findBrowser() {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  const set = process.env['CHROME_PATH']
  return [...(set ? [set] : []), ...onPath, ...macApps, ...playwrightBrowsers()].find(isExecutable)
}

/** Never fails: tests that need a browser are skipped with the reason where none can be had. */
export async function ensureBrowser() {
  if (findBrowser()) return
  const started = Date.now()
  const byApt = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get') && existsSync('/etc/debian_version')
  const done = progress(
    `Installing a browser for the tests (${byApt ? 'Debian’s chromium' : 'Playwright’s chromium'}, once)`,
  )
  const output = await (byApt ? aptChromium() : playwrightChromium()).finally(done)
  if (findBrowser()) return say(`Installed a browser in ${seconds(started)}.`)
  const last = output.trimEnd().split('\n').slice(-8).join('\n  ')
  say(`No browser could be installed, so the tests that need one are skipped:\n  ${last}\n${missingBrowser}`)
}

export const missingBrowser =
  'no browser: install Chromium or Google Chrome (Debian: apt-get install chromium), or name one in CHROME_PATH'

async function aptChromium() {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const wait = ['-q', '-o', 'DPkg::Lock::Timeout=300']
  const updated = await run('apt-get', [...wait, 'update'], env)
  return updated + (await run('apt-get', [...wait, 'install', '-y', '--no-install-recommends', 'chromium'], env))
}

function playwrightChromium() {
  const cli = join(root, 'node_modules', 'playwright-core', 'cli.js')
  return run(process.execPath, [cli, 'install', 'chromium'], process.env)
}

/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} env @returns {Promise<string>} what it printed */
function run(command, args, env) {
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

/** Where Playwright puts what it downloads. */
function playwrightBrowsers() {
  const mac = process.platform === 'darwin'
  const store =
    process.env['PLAYWRIGHT_BROWSERS_PATH'] ??
    join(homedir(), mac ? 'Library/Caches/ms-playwright' : '.cache/ms-playwright')
  if (!existsSync(store)) return []
  const versions = readdirSync(store).filter((name) => /^chromium-\d+$/.test(name))
  const inside = mac
    ? ['chrome-mac/Chromium.app/Contents/MacOS/Chromium', 'chrome-mac-arm64/Chromium.app/Contents/MacOS/Chromium']
    : ['chrome-linux/chrome', 'chrome-linux64/chrome']
  return versions.flatMap((version) => inside.map((path) => join(store, version, path)))
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
  } catch {
    return false
  }
  // Ubuntu has a `chromium-browser` that only says "use snap".
  return !path.endsWith('chromium-browser') || spawnSync(path, ['--version']).status === 0
}
