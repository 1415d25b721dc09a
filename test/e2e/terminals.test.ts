import { appendFile, writeFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { openTerminalHarness, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'

type Skip = { skip: (note?: string) => never }

const question = `printf 'Install the package? [y/n] '; read a; echo "first $a"; `
const named = `printf 'Project name: '; read b; echo "second <$b>"; `

describe('terminals in a browser', () => {
  let harness: TerminalHarness
  let shared: Browser | undefined
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(async () => {
    await shared?.close()
    await harness?.[Symbol.asyncDispose]()
  })

  /** A page of someone signed in that records console messages, including CSP violations. */
  async function openPage(context: Skip, path: string, { width = 1280, userId = '' } = {}) {
    shared ??= await openBrowser(context)
    // Each page has its own storage.
    const page = await shared.newPage({ viewport: { width, height: 800 } })
    const complaints: string[] = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    const { url } = await harness.owner.post<{ url: string }>('/api/login-links', userId ? { userId } : {})
    await page.goto(url)
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
    await page.goto(`${harness.server.address}${path}`)
    const shows = (text: string) =>
      until(async () => (await page.locator('.xterm-rows').innerText()).includes(text), {
        what: `${text} on the screen`,
      })
    return { page, complaints, shows, [Symbol.asyncDispose]: () => page.close() }
  }

  it('T9 a prompt is shown and answered by a button, the next by text, and output appears live', async (context) => {
    const { sessionId: id } = await harness.run(`${question}${named}sleep 600`)
    await using opened = await openPage(context, `/terminals/${id}`)
    const { page, complaints, shows } = opened
    await shows('Install the package?')
    await page.locator('#question', { hasText: 'Install the package?' }).waitFor()
    await page.getByRole('button', { name: /^y\b/ }).click()
    await shows('first y')
    await page.getByText('Typed; the program accepted it.').waitFor()
    await page.locator('#question', { hasText: 'Project name:' }).waitFor()
    await page.getByLabel('Answer').fill('<b>depot</b>')
    await page.getByLabel('Answer').press('Enter')
    await shows('second <<b>depot</b>>')
    expect(await page.locator('.xterm-cursor').count()).toBe(1)
    await page.getByText('No open question.').waitFor()
    expect(await page.getByLabel('Answer').isDisabled()).toBe(true)
    expect(complaints).toEqual([])
  })

  it('T6 a secret is entered in a hidden field, and nothing of it is kept', async (context) => {
    const { sessionId: id } = await harness.run(
      `printf 'Password: '; stty -echo; read p; stty echo; echo; echo "got \${#p}"; sleep 600`,
    )
    await using opened = await openPage(context, `/terminals/${id}`)
    const { page, complaints, shows } = opened
    await page.getByText('It asks for a secret:').waitFor()
    const field = page.getByLabel('Secret (not stored)')
    expect(await field.getAttribute('type')).toBe('password')
    await field.fill('mimosa-9')
    await page.getByRole('button', { name: 'Send' }).click()
    await shows('got 8')
    await page.getByText('No open question.').waitFor()
    expect(await page.locator('#text').inputValue()).toBe('')
    expect(await page.content()).not.toContain('mimosa-9')
    expect(complaints).toEqual([])
  })

  it('T4 a dangerous prompt appears in the list automatically, says why, and takes a second tap', async (context) => {
    await using opened = await openPage(context, '/terminals')
    const { page, complaints, shows } = opened
    await page.getByRole('link', { name: 'New terminal' }).waitFor()
    const { sessionId: id } = await harness.run(
      `printf 'Delete all files in /srv/data? This cannot be undone. [y/N] '; read a; echo "answer <$a>"; sleep 600`,
    )
    const entry = page.locator('li', { has: page.locator(`a[href="/terminals/${id}"]`) })
    await entry.getByText('dangerous').waitFor()
    await entry.getByRole('link').click()
    await page.locator('#danger', { hasText: 'Dangerous:' }).waitFor()
    const no = page.locator('#choices button').first()
    await no.click()
    await page.getByText('tap again').waitFor()
    expect(await page.locator('.xterm-rows').innerText()).not.toContain('answer')
    // Only the tap itself shows whether the second tap counts.
    await until(async () => {
      if ((await page.locator('#choices button[data-armed]').count()) > 0) await no.click()
      return (await page.locator('.xterm-rows').innerText()).includes('answer')
    })
    await shows('answer <')
    expect(complaints).toEqual([])
  })

  it('T9 colours and hostile output are rendered under the page policy, and links are not clickable', async (context) => {
    const hostile = String.raw`\033]0;<img src=x onerror=alert(1)>\007\033[38;2;10;200;90mgreen\033[0m \033]8;;https://example.org/\007link\033]8;;\007 \033]52;c;c3RvbGVu\007\033]2;evil\007<script>alert(1)</script>\n`
    const { sessionId: id } = await harness.run(`printf '${hostile}'; printf 'Go on? '; read a`)
    await using opened = await openPage(context, `/terminals/${id}`)
    const { page, complaints, shows } = opened
    await shows('<script>alert(1)</script>')
    const green = '[...document.querySelectorAll(".xterm-rows span")].find((one) => one.textContent.includes("green"))'
    expect(await page.evaluate(`getComputedStyle(${green}).color`)).toBe('rgb(10, 200, 90)')
    expect(await page.locator('.xterm a, main img[src="x"], #screen img').count()).toBe(0)
    await page.locator('.xterm-rows span', { hasText: 'link' }).first().hover({ force: true })
    expect(await page.locator('.xterm-cursor-pointer').count()).toBe(0)
    expect(await page.title()).toMatch(/^(\(\d+\) )?sh -c .* · Signalbox$/)
    await page.context().grantPermissions(['clipboard-read'])
    expect(await page.evaluate('navigator.clipboard.readText()')).not.toContain('stolen')
    expect(complaints).toEqual([])
  })

  it('T2 the recording is replayed, paused, sought, and closed for the live terminal again', async (context) => {
    const { sessionId: id } = await harness.run(
      `echo one; sleep 1; echo two; sleep 1; echo three; ${question}sleep 600`,
    )
    await harness.waits(id, /Install/)
    await using opened = await openPage(context, `/terminals/${id}`)
    const { page, complaints, shows } = opened
    await shows('three')
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await shows('three')
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    await page.getByLabel('Position in the recording').fill('0.5')
    await until(async () => {
      const text = await page.locator('.xterm-rows').innerText()
      return text.includes('one') && !text.includes('two')
    })
    await page.getByRole('button', { name: 'Back to live' }).click()
    await shows('Install the package?')
    expect(await page.getByRole('group', { name: 'Replay' }).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('T2 resumes where it was after the connection was lost', async (context) => {
    const { sessionId: id } = await harness.run(`echo before; ${question}echo after; sleep 600`)
    await using opened = await openPage(context, `/terminals/${id}`)
    const { page, shows } = opened
    await shows('before')
    await page.context().setOffline(true)
    await page.getByText('Connection lost.').waitFor()
    await harness.answer(id, /Install/, 'n')
    await page.context().setOffline(false)
    await shows('after')
    await page.getByText('Connection lost.').waitFor({ state: 'hidden' })
    const text = await page.locator('.xterm-rows').innerText()
    expect(text.match(/before/g)).toHaveLength(1)
  })

  it.for([1280, 390])('B11 the pages fit %i pixels without scrolling sideways', async (width, context) => {
    const { sessionId: id } = await harness.run(question, { cols: 100, rows: 30 })
    await using opened = await openPage(context, '/terminals', { width })
    const { page, shows } = opened
    const fits = async (where: string) => {
      const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect([where, await page.evaluate(over)]).toEqual([where, 0])
    }
    await page.locator(`a[href="/terminals/${id}"]`).waitFor()
    await fits('the list')
    await page.goto(`${harness.server.address}/terminals/${id}`)
    await shows('Install')
    await page.locator('#choices button').first().waitFor()
    await fits('a terminal')
    const inside = 'document.querySelector("#screen").scrollWidth - document.querySelector("#screen").clientWidth'
    expect(await page.evaluate(inside)).toBeLessThanOrEqual(0)
    for (const button of await page.locator('#choices button').all())
      expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(44)
  })

  it('T1 people who may read but not act see it, and can’t type', async (context) => {
    const { sessionId: id } = await harness.run(question)
    const { id: userId } = await harness.owner.post<{ id: string }>('/api/users', { displayName: 'Kim' })
    await harness.owner.post(`/api/users/${userId}/roles`, { role: 'admin' })
    await using opened = await openPage(context, `/terminals/${id}`, { userId })
    const { page, complaints, shows } = opened
    await shows('Install the package?')
    await page.locator('#question', { hasText: 'Install the package?' }).waitFor()
    await page.getByText('Only the owner and delegates can type into this terminal.').waitFor()
    expect(await page.locator('form, #choices, #keys').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('T9 the link to a recording opens for those who may see the terminal, as long as they may', async (context) => {
    const { sessionId: id } = await harness.run(`echo 'the first of two lines'; ${question}`)
    await using own = await openPage(context, `/terminals/${id}`)
    await own.shows('the first of two lines')
    await own.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await own.page.getByRole('button', { name: 'More', exact: true }).click()
    await own.page.getByRole('menuitem', { name: 'Copy link to recording' }).click()
    await own.page.getByText('Link copied').first().waitFor()
    const link = new URL(await own.page.evaluate<string>('navigator.clipboard.readText()'))
    expect(link.origin).toBe(new URL(own.page.url()).origin)
    const { id: userId } = await harness.owner.post<{ id: string }>('/api/users', { displayName: 'Mia' })
    await using other = await openPage(context, link.pathname + link.search, { userId })
    const gone = other.page.getByRole('heading', { name: 'Terminal not found' })
    await gone.waitFor()
    await harness.owner.put(`/api/sessions/${id}/delegates/${userId}`)
    await other.page.reload()
    await other.page.getByRole('group', { name: 'Replay' }).waitFor()
    await other.shows('the first of two lines')
    await harness.owner.delete(`/api/sessions/${id}/delegates/${userId}`)
    await other.page.reload()
    await gone.waitFor()
  })

  it('T9 the keyboard is taken, used and released; hidden input is not kept', async (context) => {
    const { sessionId: id } = await harness.run(
      `printf 'Name: '; read a; echo "is <$a>"; printf 'Password: '; stty -echo; read p; stty echo; echo; echo "got \${#p}"; cat`,
    )
    await using opened = await openPage(context, `/terminals/${id}`)
    const { page, complaints, shows } = opened
    await shows('Name:')
    await page.keyboard.type('before')
    await page.getByRole('button', { name: 'Type', exact: true }).click()
    await page.getByText('Keyboard mode').waitFor()
    await page.keyboard.type('annex')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Enter')
    await shows('is <anne>')
    await page.getByText('It asks for a secret and hides what you type').waitFor()
    await page.keyboard.type('mimosa-9')
    await page.getByRole('group', { name: 'Keys' }).getByRole('button', { name: 'Enter' }).click()
    await shows('got 8')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Type', exact: true }).waitFor()
    await page.keyboard.type('after')
    await page.getByRole('button', { name: 'Type', exact: true }).click()
    await page.keyboard.type('last')
    await shows('last')
    const inputs = await until(
      async () => {
        const found = await harness.inputs(id)
        return found.length >= 2 ? found : null
      },
      { what: 'what was answered' },
    )
    expect(JSON.stringify(inputs)).not.toContain('mimosa')
    const text = await page.locator('.xterm-rows').innerText()
    expect(text).not.toMatch(/mimosa|before|after|\^\[/)
    expect(complaints).toEqual([])
  })

  it('T2 viewing on a phone does not change the size, and shows earlier output', async (context) => {
    const { sessionId: id } = await harness.run(`seq 1 200; ${question}`, { cols: 132, rows: 40 })
    await harness.waits(id, /Install/)
    await using opened = await openPage(context, `/terminals/${id}`, { width: 390 })
    const { page, complaints, shows } = opened
    await shows('Install the package?')
    await page.locator('#choices button').first().waitFor()
    expect(await harness.get(id)).toMatchObject({ cols: 132, rows: 40 })
    await page.locator('.xterm-screen').hover()
    await until(async () => {
      await page.mouse.wheel(0, -2000)
      return (await page.locator('.xterm-rows').innerText()).startsWith('1\n2\n')
    })
    expect(await harness.get(id)).toMatchObject({ cols: 132, rows: 40 })
    expect(complaints).toEqual([])
  })

  it('T2 what scrolled out is found, scrolled to and copied', async (context) => {
    const { sessionId: id } = await harness.run(`seq -f 'row %.0f.' 1 300; ${question}`, { cols: 80, rows: 24 })
    await harness.waits(id, /Install/)
    await using opened = await openPage(context, `/terminals/${id}`, { width: 390 })
    const { page, complaints, shows } = opened
    await shows('Install the package?')
    await page.getByRole('button', { name: 'Find', exact: true }).click()
    const bar = page.getByRole('search', { name: 'Find in this terminal' })
    await page.keyboard.type('ROW 4')
    await bar.getByText('11 of 11').waitFor()
    await shows('row 49.')
    for (let match = 10; match >= 1; match -= 1) await page.keyboard.press('Enter')
    await bar.getByText('1 of 11').waitFor()
    await shows('row 4.')
    await bar.getByRole('button', { name: 'Next match' }).click()
    await bar.getByText('2 of 11').waitFor()
    await shows('row 40.')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const copied = async () => {
      await page.getByRole('button', { name: 'Copy', exact: true }).click()
      return page.evaluate('navigator.clipboard.readText()')
    }
    await until(async () => (await copied()) === 'row 4')
    await bar.getByRole('searchbox').fill('rower')
    await bar.getByText('Not found').waitFor()
    const whole = [...Array.from({ length: 300 }, (_, row) => `row ${row + 1}.`), 'Install the package? [y/n]'].join(
      '\n',
    )
    await until(async () => (await copied()) === whole)
    await page.getByText('Copied 301 lines').first().waitFor()
    await page.keyboard.press('Escape')
    if (process.env['SIGNALBOX_SHOTS'])
      await page.screenshot({ path: `${process.env['SIGNALBOX_SHOTS']}/find-390.png` })
    expect(
      await page
        .locator('main')
        .evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    ).toBe(0)
    expect(complaints).toEqual([])
  })

  it('T9 a program is started and ended from the page with the visible words; its output is found again', async (context) => {
    await using opened = await openPage(context, '/terminals/new')
    const { page, complaints, shows } = opened
    await page.getByLabel('Command line').fill(`sh -c 'printf "%s|" "$@"; read a' sh one 'two three' "needle in hay"`)
    await page.getByText('two three', { exact: true }).waitFor()
    await page.getByLabel('Name').fill('printed here')
    await page.getByRole('button', { name: 'Start' }).click()
    await shows('one|two three|needle in hay|')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'End the program…' }).click()
    await page.getByRole('button', { name: 'End program' }).click()
    await page.getByText('The program has ended.').waitFor()
    await page.goto(`${harness.server.address}/search`)
    await page.getByRole('searchbox').fill('needle in')
    const found = page.getByRole('region', { name: 'Terminals' })
    await found.locator('mark', { hasText: 'needle in' }).first().waitFor()
    expect(page.url()).toContain('q=needle')
    await found.getByRole('link', { name: 'printed here' }).click()
    await page.getByRole('group', { name: 'Replay' }).waitFor()
    await shows('needle in hay')
    expect(complaints).toEqual([])
  })

  it('T2 a followed log is shown line by line as it grows', async (context) => {
    await writeFile(harness.at('build.log'), '')
    const { sessionId: id } = await harness.follow(harness.at('build.log'), { filePosition: 0 })
    await using opened = await openPage(context, `/terminals/${id}`)
    const { page, complaints, shows } = opened
    await page.getByText('Read-only log').waitFor()
    await page.locator('#state', { hasText: 'Running' }).waitFor()
    await appendFile(harness.at('build.log'), 'first line\nsecond line\n')
    await shows('second line')
    await appendFile(harness.at('build.log'), 'third line\n')
    await shows('third line')
    const rows = (await page.locator('.xterm-rows').innerText()).split('\n').filter((row) => row.trim() !== '')
    expect(rows.map((row) => row.trimEnd())).toEqual(['first line', 'second line', 'third line'])
    expect(complaints).toEqual([])
  })

  it('T1 signed-out visitors see no terminal', async (context) => {
    const { sessionId: id } = await harness.run(question)
    await using browser = await openBrowser(context)
    const page = await browser.newPage()
    for (const path of ['/terminals', `/terminals/${id}`]) {
      const answer = await page.goto(`${harness.server.address}${path}`)
      expect(answer!.status()).toBe(401)
      await page.getByText('not signed in').waitFor()
    }
  })
})
