import { expect, it } from 'vitest'
import { fakeClock } from '../../../../test/support/fake-clock.ts'
import { captureMasks, createCapture } from '../capture/capture.ts'
import { createEntries, upToEnters } from './entries.ts'
import type { EnteredAnswer, KeyboardAnswer } from './watch/types.ts'

const masks = captureMasks()

function terminal() {
  const clock = fakeClock()
  const capture = createCapture({ masks })
  const reported: KeyboardAnswer[] = []
  const entries = createEntries({ echo: capture.echo, clock, report: (answer) => void reported.push(answer) })
  let recorded = ''
  return {
    clock,
    type(text: string) {
      for (const keys of upToEnters(Buffer.from(text))) {
        capture.echo.began()
        if (keys.at(-1) === 13) capture.echo.entered(keys)
      }
      entries.looked()
    },
    print(text: string) {
      recorded += capture.push(Buffer.from(text))
      entries.looked()
    },
    judged(text: string, line: number, more: Partial<EnteredAnswer> = {}) {
      const prompt = {} as EnteredAnswer['prompt']
      const answer = {
        prompt,
        text,
        secret: false,
        by: 'anna',
        responseTimeMs: 0,
        at: '',
        isSeen: false,
        line,
        ...more,
      }
      entries.entered(answer)
    },
    history: () => reported.map(({ text, secret }) => (secret ? 'secret' : text)),
    recorded: () => recorded + capture.end(),
  }
}

/** What the program prints, and what comes of it; the watch says its word after any of it. */
const output = {
  hidden: ['Magic> ', '', '********', '\r\n', 'it was s3-hunter.\r\n', '\x1b[2J', 'again: s3-hunter\r\n'],
  shown: ['Colour: ', '', 's3-hunter', '\r\n', 's3-hunter is a colour\r\n', 'Over: ', ''],
}

it.each([0, 1, 2, 3, 4, 5])(
  'a hidden line is secret and a shown one is not, if the look comes after piece %s',
  (judgedAfter) => {
    for (const [kind, pieces] of Object.entries(output)) {
      const { type, print, judged, history, recorded } = terminal()
      print(pieces[0] ?? '')
      type('s3-hunter\r')
      for (const [at, piece] of pieces.slice(1).entries()) {
        print(piece)
        if (at === judgedAfter) judged('s3-hunter', 1)
      }
      const isHidden = kind === 'hidden'
      expect(history(), kind).toEqual([isHidden ? 'secret' : 's3-hunter'])
      expect(recorded().includes('s3-hunter'), kind).toBe(!isHidden)
    }
  },
)

it('the next line says nothing of the one before, whenever either is looked at', () => {
  const steps = [
    (t: ReturnType<typeof terminal>) => t.judged('s3-hunter', 1),
    (t: ReturnType<typeof terminal>) => t.judged('green', 2),
  ]
  for (const first of [3, 4, 5, 6]) {
    for (const second of [5, 6]) {
      const t = terminal()
      const pieces = ['Magic> ', 's3-hunter\r', '\r\n', 'Colour: ', 'green\r', 'green\r\n', 'not s3-hunter\r\n']
      for (const [at, piece] of pieces.entries()) {
        if (piece.endsWith('\r')) t.type(piece)
        else t.print(piece)
        if (at === first) steps[0]?.(t)
        if (at === second) steps[1]?.(t)
      }
      const inOrder = first <= second ? ['secret', 'green'] : ['green', 'secret']
      expect(t.history()).toEqual(inOrder)
      expect(t.recorded()).toContain('not *********')
    }
  }
})

it('without an echo it is a secret in the end', () => {
  const { clock, type, print, judged, history } = terminal()
  print('Magic: ')
  type('s3-hunter\r')
  judged('s3-hunter', 1)
  expect(history()).toEqual([])
  clock.advance(2000)
  expect(history()).toEqual(['secret'])
})

it('what was seen as it was typed is none, and what the watch holds to be secret is one', () => {
  const seen = terminal()
  seen.print('Name: ')
  seen.type('s3-hunter\r')
  seen.print('\x1b[5;5H')
  seen.judged('s3-hunter', 1, { isSeen: true })
  expect(seen.history()).toEqual(['s3-hunter'])
  const secret = terminal()
  secret.print('Word: ')
  secret.type('s3-hunter\r')
  secret.judged('', 1, { secret: true, text: null })
  secret.print('s3-hunter\r\n')
  expect(secret.history()).toEqual(['secret'])
  expect(secret.recorded()).not.toContain('s3-hunter')
})

it('lines pasted together are lines of their own', () => {
  expect(upToEnters(Buffer.from('one\rtwo\nthree')).map(String)).toEqual(['one\r', 'two\n', 'three'])
})
