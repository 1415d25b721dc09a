// The sandbox of agents; without it, its tests are skipped with the reason.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { aptInstall, canUseApt } from './apt.mjs'
import { progress, say, seconds } from './say.mjs'

const isThere = () =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .some((folder) => existsSync(join(folder, 'bwrap')))

export async function ensureBubblewrap() {
  if (process.platform !== 'linux' || isThere()) return
  if (!canUseApt())
    return say('No bubblewrap here: tests of the sandbox are skipped (Debian: apt-get install bubblewrap).')
  const started = Date.now()
  const done = progress('Installing bubblewrap for the tests (once)')
  const output = await aptInstall('bubblewrap').finally(done)
  if (isThere()) return say(`Installed bubblewrap in ${seconds(started)}.`)
  say(
    `No bubblewrap could be installed, so tests of the sandbox are skipped:\n  ${output.trimEnd().split('\n').slice(-8).join('\n  ')}`,
  )
}
