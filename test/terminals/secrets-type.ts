import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Api } from '../support/api.ts'
import { inPty } from '../support/in-pty.ts'
import { cleanEnv, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { SecretCase, Turn } from './secrets-cases.ts'

const signalbox = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))

/** How an answer reaches a program. */
export type Route = 'at the keyboard' | 'by REST' | 'as the answer to an ask'
export const routes: readonly Route[] = ['at the keyboard', 'by REST', 'as the answer to an ask']

type Detection = { waiting: boolean; promptId: string | null; promptText: string; secret: boolean }

/** Plays a case to its end and returns the terminal's id; then it waits at `Over:`. */
export async function play(
  server: Server,
  env: Record<string, string>,
  one: SecretCase,
  route: Route,
): Promise<string> {
  return route === 'at the keyboard' ? playAtKeyboard(server, env, one) : playFromFar(server.api(), one, route)
}

async function playAtKeyboard(server: Server, env: Record<string, string>, one: SecretCase): Promise<string> {
  const api = server.api()
  const known = new Set((await terminals(api)).map(({ sessionId }) => sessionId))
  const surroundings = cleanEnv({ ...env, SIGNALBOX_HOME: server.home })
  using pty = inPty([process.execPath, signalbox, 'run', '--', ...one.command], surroundings)
  const { sessionId } = await until(
    async () => (await terminals(api)).find((terminal) => !known.has(terminal.sessionId)),
    { what: `the terminal of ${one.name}` },
  )
  let from = 0
  const shows = (what: RegExp) =>
    until(() => what.test(plain(pty.text().slice(from))), { what: `${what} of ${one.name} in ${pty.text()}` })
  for (const { shows: what, words, atOnce, pasted, byHand } of one.turns) {
    await shows(what)
    if (!atOnce) await seen(api, sessionId, what)
    from = pty.text().length
    if (pasted) pty.type(`\x1b[200~${words}\x1b[201~`)
    else {
      for (const letter of words) {
        pty.type(letter)
        // A quick typist, so that the terminal is looked at between two keys on a busy machine too.
        if (byHand) await pause(120)
      }
    }
    // Programs that turn echo off late read earlier input as the beginning.
    if (atOnce) await pause(600)
    pty.type('\r')
  }
  await shows(one.proof)
  await shows(/Over: $/)
  return sessionId
}

async function playFromFar(api: Api, one: SecretCase, route: Route): Promise<string> {
  const { sessionId } = await api.post<{ sessionId: string }>('/api/terminals', {
    sessionType: 'script',
    command: one.command,
  })
  for (const turn of one.turns) {
    const { promptId } = await seen(api, sessionId, turn.shows)
    if (route === 'by REST') await answerByRest(api, sessionId, promptId, turn)
    else await answerAsk(api, sessionId, turn)
  }
  await seen(api, sessionId, /Over: ?$/)
  const said = async () => (await api.get<{ text: string }>(`/api/terminals/${sessionId}/updates?maxLines=1000`)).text
  await until(async () => one.proof.test(await said()), { what: `${one.proof} of ${one.name}` })
  return sessionId
}

async function answerByRest(api: Api, id: string, promptId: string | null, { words, secret }: Turn): Promise<void> {
  const body = { text: words, secret, expectPrompt: promptId, confirmed: true }
  const { status } = await api.post<{ status: string }>(`/api/terminals/${id}/input`, body)
  if (status !== 'delivered') throw new Error(`${words} was ${status}`)
}

async function answerAsk(api: Api, id: string, { words, shows }: Turn): Promise<void> {
  type Ask = { id: string; subject: { promptText?: string } }
  const ask = await until(
    async () => {
      const { asks } = await api.get<{ asks: Ask[] }>(`/api/asks?status=open&sessionId=${id}`)
      return asks.find(({ subject }) => loose(shows).test(subject.promptText ?? ''))
    },
    { what: `an ask like ${shows}` },
  )
  await api.post(`/api/asks/${ask.id}/answer`, { outcome: 'reply', value: words, confirmed: true })
}

const terminals = async (api: Api) =>
  (await api.get<{ terminals: { sessionId: string }[] }>('/api/terminals')).terminals

const seen = (api: Api, id: string, what: RegExp): Promise<Detection> =>
  until(
    async () => {
      const now = await api.get<Detection>(`/api/terminals/${id}/detection`)
      return now.waiting && loose(what).test(now.promptText) ? now : null
    },
    { what: `a prompt like ${what}` },
  )

/** The prompt's text has no space at its end. */
const loose = (what: RegExp) => new RegExp(what.source.replace(/ \??\$$/, '$').replace(/ $/, ''))

// eslint-disable-next-line no-control-regex
const plain = (text: string): string => text.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]/g, '')
