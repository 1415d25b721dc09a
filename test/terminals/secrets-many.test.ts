import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inPty } from '../support/in-pty.ts'
import { missingPrograms } from '../support/programs.ts'
import { figure, scale } from '../support/scale.ts'
import { cleanEnv, startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import { findIn } from './secrets-forms.ts'
import { answersOf, filesOf, listenTo, shownIn } from './secrets-places.ts'

const program = fileURLToPath(new URL('./secrets-many.py', import.meta.url))
const signalbox = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))

/** Prompts whose words say it, and prompts of which only the way of reading tells. */
const prompts: [words: string, way: string][] = [
  ...[
    'Password: ',
    'Enter passphrase for key: ',
    'PIN: ',
    'License key: ',
    'Product key: ',
    'API key: ',
    'Access token: ',
    'One-time password: ',
    'Recovery phrase: ',
    'Client secret: ',
    'Contraseña: ',
    'Mot de passe : ',
    'Passwort: ',
    'كلمة المرور: ',
    'סיסמה: ',
    'パスワード: ',
    '密码：',
    'Пароль: ',
    '비밀번호: ',
    'รหัสผ่าน: ',
    'पासवर्ड: ',
    'Jelszó: ',
    'Salasana: ',
    'Κωδικός πρόσβασης: ',
    'Hasło: ',
    'Şifre: ',
    'Wachtwoord: ',
    'Lösenord: ',
    'Adgangskode: ',
    'Mật khẩu: ',
  ].map((words): [string, string] => [words, 'shown']),
  ['Zaklinadlo: ', 'hidden'],
  ['Say the word: ', 'hidden'],
  ['Password: ', 'late'],
  ['Passwort: ', 'late'],
  ['Zaklinadlo: ', 'bullets'],
  ['Password: ', 'bullets'],
  ['Magic> ', 'bullets'],
  ['Zaklinadlo: ', 'dots'],
  ['Passphrase: ', 'dots'],
  ['Password: ', 'reveals'],
  ['PIN code: ', 'reveals'],
  ['Passwort: ', 'reveals in place'],
  ['Password: ', 'reveals in place'],
  ['Zaklinadlo: ', 'nothing'],
  ['Magic: ', 'nothing'],
  ['Password', 'whiptail'],
  ['Passphrase of the key', 'whiptail'],
  ['Password', 'dialog'],
  ['Say the magic word', 'dialog'],
  ['Password', 'insecure'],
]

const speeds = ['slow', 'fast', 'pasted'] as const
const printing = ['at once', 'later', 'not'] as const
type One = {
  words: string
  way: string
  speed: (typeof speeds)[number]
  printed: (typeof printing)[number]
  secret: string
}

/** `every`: how many of the combinations are left out between two. */
const { every, perTerminal } = scale({ test: { every: 19, perTerminal: 16 }, long: { every: 1, perTerminal: 25 } })

function combinations(): One[] {
  const all = prompts.flatMap(([words, way]) =>
    speeds.flatMap((speed) =>
      printing.map((printed): One => ({ words, way, speed, printed, secret: `s3-${randomBytes(6).toString('hex')}` })),
    ),
  )
  return all.filter(({ way }, at) => at % every === 0 && missingPrograms([boxOf[way] ?? 'python3']).length === 0)
}

const boxOf: Record<string, string> = { whiptail: 'whiptail', dialog: 'dialog', insecure: 'dialog' }

const stack = new AsyncDisposableStack()
let server: Server
beforeAll(async () => {
  server = stack.use(await startServer({ config: '[terminal]\nask_after_seconds = 0\n' }))
})
afterAll(() => stack.disposeAsync())

const long = { timeout: scale({ test: 180_000, long: 3_600_000 }) }

it.runIf(missingPrograms(['python3']).length === 0)(
  'T6: a secret is found nowhere, however it is asked for and typed, and whether or not it is printed',
  long,
  async () => {
    const api = server.api()
    const all = combinations()
    using events = listenTo(api, '/api/events')
    using listening = new DisposableStack()
    const heard = new Map<string, () => Buffer>([['live events', events.heard]])
    const ids: string[] = []
    const colours: string[] = []
    for (let from = 0; from < all.length; from += perTerminal) {
      const colour = `colour-${randomBytes(4).toString('hex')}`
      const id = await play(all.slice(from, from + perTerminal), colour, (known) => {
        heard.set(`live ${known}`, listening.use(listenTo(api, `/api/terminals/${known}/live`)).heard)
      })
      ids.push(id)
      colours.push(colour)
    }
    const answers = await answersOf(api, ids)
    for (const id of ids) await api.post(`/api/terminals/${id}/end`)
    const files = filesOf(server.home)
    const places = new Map([
      ...files,
      ...shownIn(files),
      ...answers,
      ...[...heard].map(([name, get]) => [name, get()] as const),
      ['server log', Buffer.from(server.log() + server.printed())] as const,
    ])
    const leaks = all.flatMap(({ secret, ...one }) =>
      findIn(places, secret).map((where) => `${Object.values(one).join(', ')}: ${where}`),
    )
    figure('secrets', `${all.length} typed at ${prompts.length} prompts: ${leaks.length} found again`)
    expect(leaks).toEqual([])
    // The search finds what is there.
    for (const colour of colours) expect(findIn(places, colour).length).toBeGreaterThan(3)
  },
)

/** Plays the prompts one after another in one terminal, at its keyboard. */
async function play(cases: readonly One[], colour: string, opened: (id: string) => void): Promise<string> {
  const api = server.api()
  const known = new Set((await terminals()).map(({ sessionId }) => sessionId))
  const asked = JSON.stringify(cases.map(({ words, way, printed }) => [words, way, printed]))
  using pty = inPty(
    [process.execPath, signalbox, 'run', '--', 'python3', program, asked],
    cleanEnv({ SIGNALBOX_HOME: server.home, LC_ALL: 'C.UTF-8', PATH: process.env['PATH'] ?? '' }),
  )
  const { sessionId } = await until(
    async () => (await terminals()).find((terminal) => !known.has(terminal.sessionId)),
    { what: 'the terminal' },
  )
  opened(sessionId)
  let from = 0
  const shows = async (text: string) => {
    const at = await until(
      () => {
        const found = pty.text().indexOf(text, from)
        return found < 0 ? null : found + text.length
      },
      { what: `${text} in ${pty.text().slice(-2000)}`, seconds: 60 },
    )
    from = at
  }
  for (const [at, { words, way, speed, secret }] of cases.entries()) {
    await shows(`next ${at}`)
    // Into a box, a fast person types before it is drawn.
    if (speed === 'slow' || boxOf[way] === undefined) await shows(words.trim())
    if (speed === 'slow') await pause(150)
    if (speed === 'pasted') pty.type(way === 'shown' || boxOf[way] ? secret : `\x1b[200~${secret}\x1b[201~`)
    else {
      for (const letter of secret) {
        pty.type(letter)
        if (speed === 'slow') await pause(15)
      }
    }
    // A program that discards what was typed before it turned the echo off would wait forever.
    if (boxOf[way] !== undefined && speed !== 'slow') await pause(300)
    pty.type('\r')
    await shows(`read ${at} `)
  }
  await shows('Colour: ')
  await until(async () => {
    const { promptText } = await api.get<{ promptText: string }>(`/api/terminals/${sessionId}/detection`)
    return promptText.includes('Colour')
  })
  pty.type(`${colour}\r`)
  await shows('Over: ')
  await until(async () => (await api.send('GET', `/api/sessions/${sessionId}/inputs`)).text.includes(colour))
  return sessionId
}

const terminals = async () =>
  (await server.api().get<{ terminals: { sessionId: string }[] }>('/api/terminals')).terminals
