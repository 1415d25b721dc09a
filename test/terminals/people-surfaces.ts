import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import type { Agent } from '../conformance/mcp-harness.ts'
import type { Api } from '../support/api.ts'
import { cleanEnv, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'

/** Somebody who looks at a terminal, sees a question, and answers it a moment later. */
export type Person = {
  /** Until they have seen this question. */
  see(question: string): Promise<unknown>
  /** Says yes to what they saw, and again if they are asked whether they are sure. */
  answer(): Promise<unknown>
}

type Seen = { promptId: string | null; promptText: string; waiting: boolean }
const unconfirmed = 'danger_not_confirmed'

export function byRest(api: Api, id: string): Person {
  let promptId: string | null = null
  const path = `/api/terminals/${id}`
  return {
    see: (question) =>
      until(
        async () => {
          const now = await api.get<Seen>(`${path}/detection`)
          promptId = now.promptId
          return now.waiting && now.promptText.includes(question)
        },
        { what: question },
      ),
    async answer() {
      const body = { text: 'y', expectPrompt: promptId }
      const sent = await api.send('POST', `${path}/input`, { body })
      return sent.text.includes(unconfirmed)
        ? (await api.send('POST', `${path}/input`, { body: { ...body, confirmed: true } })).text
        : sent.text
    },
  }
}

/** Answers the ask, as the inbox, notifications and chats do. */
export function byAsk(api: Api, id: string): Person {
  type Ask = { id: string; subject: { promptText?: string } }
  let askId = ''
  return {
    see: (question) =>
      until(
        async () => {
          const { asks } = await api.get<{ asks: Ask[] }>(`/api/asks?sessionId=${id}&status=open`)
          const found = asks.find(({ subject }) => subject.promptText?.includes(question))
          askId = found?.id ?? ''
          return found
        },
        { what: `an ask: ${question}` },
      ),
    async answer() {
      const body = { outcome: 'reply', value: 'y' }
      const sent = await api.send('POST', `/api/asks/${askId}/answer`, { body })
      return sent.text.includes(unconfirmed)
        ? (await api.send('POST', `/api/asks/${askId}/answer`, { body: { ...body, confirmed: true } })).text
        : sent.text
    },
  }
}

/** An agent never answers a dangerous question; it may leave out which it saw. */
export function byMcp(agent: Agent, id: string): Person {
  return {
    see: (question) =>
      until(
        async () => {
          const said = await agent.call('detect_input_prompt', { session_id: id })
          return JSON.stringify(said).includes(question)
        },
        { what: `an agent that sees ${question}` },
      ),
    answer: () => agent.call('send_session_input', { session_id: id, text: 'y' }),
  }
}

const signalbox = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))

/** A shell of their own, in which they run one command after another. */
export function byCommands(server: Server, id: string): Person & Disposable {
  const env = cleanEnv({ SIGNALBOX_HOME: server.home })
  const shell = spawn('bash', [], { env, detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
  let printed = ''
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  let count = 0
  async function run(...args: string[]): Promise<string> {
    const from = printed.length
    const end = `end-${(count += 1)}.`
    shell.stdin.write(`'${process.execPath}' '${signalbox}' ${args.join(' ')} 2>&1; echo ${end}\n`)
    await until(() => printed.includes(end, from), { what: `the end of ${args.join(' ')}`, seconds: 60 })
    return printed.slice(from)
  }
  return {
    see: (question) =>
      until(async () => (await run('terminals', 'show', id)).includes(question), { what: question, seconds: 60 }),
    async answer() {
      const said = await run('terminals', 'answer', id, 'y')
      return said.includes('--yes on the command line') ? run('terminals', 'answer', id, 'y', '--yes') : said
    },
    [Symbol.dispose]() {
      shell.stdin.end()
      shell.kill('SIGKILL')
    },
  }
}

/** The page of the terminal; a dangerous answer is tapped twice. */
export async function byPage(browser: Browser, server: Server, id: string): Promise<Person & AsyncDisposable> {
  const page: Page = await browser.newPage()
  const { url } = await server.api().post<{ url: string }>('/api/login-links', {})
  await page.goto(url)
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  await page.goto(`${server.address}/terminals/${id}`)
  const yes = page.locator('#choices button').filter({ hasText: /^y\b/ })
  const armed = page.locator('#choices button[data-armed]')
  const status = page.locator('#panel [role=status]')
  let seen = ''
  const isShown = async () =>
    (await page.locator('#question').count()) > 0 && (await page.locator('#question').innerText()).includes(seen)
  /** Looks, and taps that place at once, as a finger does; the question may change in between. */
  const tap = async () => {
    const box = (await isShown())
      ? await yes
          .first()
          .boundingBox({ timeout: 500 })
          .catch(() => null)
      : null
    if (box) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  }
  return {
    async see(question) {
      seen = question
      await page
        .locator('#question', { hasText: question })
        .waitFor({ timeout: 30_000 })
        .catch(async (error: unknown) => {
          const shown = await page.locator('#panel').innerText()
          throw new Error(`the page shows ${shown}`, { cause: error })
        })
      await page.locator('#choices button:enabled').first().waitFor()
    },
    async answer() {
      await tap()
      if ((await armed.count()) > 0) {
        await pause(600)
        if ((await armed.count()) > 0) await tap()
      }
      return until(async () => {
        const said = await status.innerText()
        return said !== 'Typing…' && (said !== '' || !(await isShown())) ? said || 'gone' : null
      }).catch((error: unknown) => String(error))
    },
    [Symbol.asyncDispose]: () => page.close(),
  }
}
