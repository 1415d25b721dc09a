// Finds a Chromium for the browser tests, or installs one.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { aptInstall, canUseApt, run } from './apt.mjs'
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

/** Never fails: without a browser, its tests are skipped with the reason. */
export async function ensureBrowser() {
  if (findBrowser()) return
  const started = Date.now()
  const byApt = canUseApt()
  const done = progress(
    `Installing a browser for the tests (${byApt ? 'Debian’s chromium' : 'Playwright’s chromium'}, once)`,
  )
  const output = await (byApt ? aptInstall('chromium') : playwrightChromium()).finally(done)
  if (findBrowser()) return say(`Installed a browser in ${seconds(started)}.`)
  const last = output.trimEnd().split('\n').slice(-8).join('\n  ')
  say(`No browser could be installed, so the tests that need one are skipped:\n  ${last}\n${missingBrowser}`)
}

export const missingBrowser =
  'no browser: install Chromium or Google Chrome (Debian: apt-get install chromium), or name one in CHROME_PATH'

function playwrightChromium() {
  const cli = join(root, 'node_modules', 'playwright-core', 'cli.js')
  return run(process.execPath, [cli, 'install', 'chromium'], process.env)
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
