// Pictures of every page at desk and phone width, for the docs: `npm run screenshots`.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser } from '../test/support/browser.ts'
import { openTerminalYard } from '../test/support/terminal-yard.ts'
import { root } from './lib/say.mjs'

const widths = [
  { name: '', width: 1280, height: 800 },
  { name: '-phone', width: 390, height: 844 },
]
const folder = join(root, 'docs', 'screenshots')
mkdirSync(folder, { recursive: true })

await using yard = await openTerminalYard({ database: 'sqlite' })
const { server } = yard
await using browser = await openBrowser()
const asking = await yard.run(script('added 241 packages in 4s', 'Is this OK? (yes) '), {
  name: 'npm init',
  cwd: '/srv',
})
const dangerous = await yard.run(script('3 tables', 'Drop database staging and all its tables? [y/N] '), {
  name: 'clean up the database',
  cwd: '/srv',
})
await yard.waits(asking.sessionId, /OK/)
await yard.waits(dangerous.sessionId, /Drop/)
for (const { name, width, height } of widths) {
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: 2 })
  const shot = (view: string) => page.screenshot({ path: join(folder, `${view}${name}.png`) })
  await page.goto(server.address)
  await shot('signed-out')
  const link = await server.api().post<{ url: string }>('/api/login-links', {})
  await page.goto(link.url)
  await page.waitForURL(`${server.address}/`)
  await shot('home')
  await page.goto(`${server.address}/terminals`)
  await shot('terminals')
  await page.goto(`${server.address}/terminals/${dangerous.sessionId}`)
  await page.locator('.xterm-rows', { hasText: 'Drop' }).waitFor()
  await page.locator('#choices button').first().waitFor()
  await shot('terminal')
  await page.goto(`${server.address}/api/docs`)
  await shot('api')
  await page.goto(`${server.address}/login?code=${'x'.repeat(43)}`)
  await page.waitForSelector('.bad')
  await shot('used-link')
  await page.close()
}
console.log(`Pictures are in ${folder}`)

function script(said: string, question: string): string {
  return `echo '${said}'; printf '${question}'; read answer`
}
