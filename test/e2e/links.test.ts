import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'

const views = [
  { name: '390 px', viewport: { width: 390, height: 844 } },
  { name: '1440 px', viewport: { width: 1440, height: 900 } },
] as const

const loud = 'Do not sign in there'
const pictures = process.env['LINKS_PICTURES']

describe('a link that an agent wrote', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  async function picture(page: Page, name: string): Promise<void> {
    expect([name, await page.evaluate(overflow)]).toEqual([name, 0])
    if (pictures === undefined) return
    mkdirSync(pictures, { recursive: true })
    await page.screenshot({ path: join(pictures, `${name}.png`) })
  }

  it.for(views)(
    'S3 at $name: opens a page that shows its target, with a strong warning for this computer',
    async (view, context) => {
      const { port } = new URL(dashboard.server.address)
      const written = {
        elsewhere: 'https://example.org/docs/signals?page=2#top',
        here: 'http://127.0.0.1:41555/preview',
        number: 'http://2130706433:41555/',
        hex: 'http://0x7f.1:41555/',
        octal: 'http://0177.0.0.1:41555/',
        name: 'http://app.localhost:41555/',
        six: 'http://[::1]:41555/',
        mapped: 'http://[::ffff:127.0.0.1]:41555/',
        any: 'http://0.0.0.0:41555/',
        near: 'http://192.168.1.7/admin',
        own: `http://127.0.0.1:${port}/settings/tokens`,
        alike: 'https://xn--80ak6aa92e.com/sign-in',
        hidden: 'https://github.com@evil.example/login',
        mail: 'mailto:ann@example.org',
      }
      const text = Object.entries(written).map(([name, href]) => `[link-${name}](${href})`)
      const session = await dashboard.start(`/say ${text.join(' ')}`)
      await using opened = await dashboard.open(context, {
        path: `/sessions/${session.id}`,
        context: { viewport: view.viewport, ...(view.viewport.width < 500 && { hasTouch: true, isMobile: true }) },
      })
      const { page, complaints } = opened
      const asked: string[] = []
      opened.context.on('request', (request) => asked.push(request.url()))
      const follow = async (name: keyof typeof written): Promise<Page> => {
        const link = page.getByRole('log').getByRole('link', { name: new RegExp(`link-${name}\\b`) })
        expect(await link.getAttribute('rel')).toContain('noopener')
        const [leaving] = await Promise.all([opened.context.waitForEvent('page'), link.click()])
        await leaving.getByRole('heading', { name: 'Leaving Signalbox' }).waitFor()
        await leaving.getByText('Address', { exact: true }).waitFor()
        return leaving
      }
      const expected: [keyof typeof written, RegExp, boolean][] = [
        ['elsewhere', /another site, example\.org/, false],
        ['here', /port 41555/, true],
        ['number', /127\.0\.0\.1:41555/, true],
        ['hex', /127\.0\.0\.1:41555/, true],
        ['octal', /127\.0\.0\.1:41555/, true],
        ['name', /app\.localhost:41555/, true],
        ['six', /\[::1\]:41555/, true],
        ['mapped', /\[::ffff:7f00:1\]:41555/, true],
        ['any', /0\.0\.0\.0:41555/, true],
        ['near', /your own network/, false],
        ['own', /a page of Signalbox itself/, false],
        ['alike', /letters of other alphabets[\s\S]*xn--80ak6aa92e\.com/, false],
        ['hidden', /user name, not the site/, false],
        ['mail', /mail program/, false],
      ]
      for (const [name, shows, isLoud] of expected) {
        const leaving = await follow(name)
        const said = await leaving.getByRole('main').innerText()
        expect([name, said]).toEqual([name, expect.stringMatching(shows)])
        expect([name, said.includes(loud)]).toEqual([name, isLoud])
        expect([name, await leaving.getByRole('alert').count()]).toEqual([name, isLoud ? 1 : 0])
        const open = leaving.getByRole('link', { name: isLoud ? 'Open anyway' : 'Open', exact: true })
        expect(await open.getAttribute('rel')).toBe('noreferrer noopener')
        expect(await open.getAttribute('href')).toBe(new URL(written[name]).href)
        expect(await leaving.evaluate('window.opener')).toBeNull()
        await picture(leaving, `${view.viewport.width}-${name}`)
        await leaving.close()
      }
      // Neither a site nor our own server learns of an address before it is opened.
      expect(asked.filter((url) => !url.startsWith(`${dashboard.server.address}/`))).toEqual([])
      expect(asked.filter((url) => /41555|example\.org|evil/.test(url.replace(/#.*/, '')))).toEqual([])
      expect(complaints).toEqual([])
    },
  )

  it.for([
    '',
    '#',
    '#%zz',
    '#javascript:alert(1)',
    '#data:text/html,x',
    '#file:///etc/passwd',
    '#//evil.example',
    '#x',
  ])('S3 /leaving%s leads nowhere', async (fragment, context) => {
    await using opened = await dashboard.open(context, { path: `/leaving${fragment}` })
    await opened.page.getByRole('heading', { name: 'This link can’t be opened' }).waitFor()
    expect(await opened.page.getByRole('main').getByRole('link', { name: /^open/i }).count()).toBe(0)
    expect(opened.complaints).toEqual([])
  })
})
