import { expect, it } from 'vitest'
import { createSuspect, type EchoVerdict } from './suspect.ts'

type Step =
  | { key: string; unseen?: true }
  | { out: string }
  | { judge: 'secret' | 'seen'; line: number }
  | { end: 'given up' }

const keys = (key: string): Step => ({ key })
const out = (text: string): Step => ({ out: text })

/** Keys and output in turn; gives what is held to be secret, in doubt or surely, and what is said of each line. */
function played(steps: readonly Step[], { before = 'Word: ', columns = 80 } = {}) {
  const doubt: string[] = []
  const sure: string[] = []
  const suspect = createSuspect(
    {
      add: (text, doubtful = false) => void (doubtful ? doubt : sure).push(Buffer.from(text).toString()),
      clear: () => void (doubt.length = 0),
      confirm: () => void sure.push(...doubt.splice(0)),
    },
    { line: () => Buffer.from(before), columns: () => columns },
  )
  let typed = ''
  for (const step of steps) {
    if ('out' in step) suspect.see(Buffer.from(step.out))
    else if ('judge' in step) suspect.judge(step.line, step.judge === 'secret')
    else if ('end' in step) suspect.giveUp()
    else {
      if (typed === '') suspect.began()
      typed += step.key
      if (!typed.endsWith('\r')) continue
      suspect.entered(Buffer.from(typed), step.unseen)
      typed = ''
    }
  }
  const verdicts: EchoVerdict[] = []
  for (let line = 1; line <= suspect.lines; line++) verdicts.push(suspect.verdict(line))
  return { doubt, sure, verdicts }
}

const enter = keys('hunter22\r')

it.each<[string, Step[]]>([
  ['nothing is shown', [enter, out('\r\nok')]],
  ['bullets are', [enter, out('********\r\nok')]],
  ['bullets are, with the prompt again', [enter, out('\r\x1b[KWord: ****\r\x1b[KWord: ********\r\nok')]],
  ['bullets are, before Enter', [keys('hunter22'), out('••••••••'), keys('\r'), out('\r\nok')]],
  ['a letter is shown before its bullet', [enter, out('h\b*u\b*n\b*t\b*e\b*r\b*2\b*2\b*\r\nok')]],
  ['the last letter is', [enter, out('h\r\x1b[KWord: •u\r\x1b[KWord: ••n\r\x1b[KWord: •••••••2\r\nok')]],
  ['a wrong letter is erased', [keys('hunter33\x7f\x7f22\r'), out('\r\nok')]],
  ['the screen is cleared', [enter, out('\x1b[2J')]],
  ['the program goes elsewhere', [enter, out('\x1b[5;5H')]],
  ['it is pasted', [keys('\x1b[200~hunter22\x1b[201~'), keys('\r'), out('\x1b[?2004l\r\nok')]],
  ['it is printed in the next row', [enter, out('\r\nit was hunter22.\r\n')]],
  ['it is printed behind the prompt, not at the cursor', [enter, out('it was hunter22.\r\n')]],
  ['it is printed after a frame', [enter, out('\x1b[1A\x1b[J◆ Word\r\n│ ▪▪▪▪▪▪▪▪\r\nhunter22')]],
  [
    'a box is drawn over the echo of the terminal',
    [keys('hunter22'), out('hunter22\x1b[2;2H┌─┐'), keys('\r'), out('\x1b[2J')],
  ],
  ['nothing comes', [enter, { end: 'given up' }]],
])('what is entered is a secret before anything more is printed if %s', (_, steps) => {
  expect(played(steps)).toEqual({ doubt: ['hunter22'], sure: [], verdicts: ['hidden'] })
})

it.each<[string, Step[]]>([
  ['at once', [keys('make test\r'), out('make test\r\n')]],
  ['letter by letter', [keys('m'), out('m'), keys('ake\r'), out('ake\r\n')]],
  ['before Enter', [keys('make'), out('make'), keys('\r')]],
  ['coloured and drawn again', [keys('ls -l\r'), out('\x1b[31ml\x1b[0m\b\x1b[32mls\x1b[0m -l\x1b[K\x1b[J\r\n')]],
  ['with a letter erased', [keys('maek\x7f\x7fke\r'), out('maek\b \b\b \bke\r\n')]],
  ['with letters put in between', [keys('mke\x1b[D\x1b[Da\r'), out('mke\b\b\x1b[1@a\r\n')]],
  ['edited before Enter', [keys('mke\x1b[D\x1b[Da'), out('make\b\b'), keys('\r'), out('\r\n')]],
  ['completed', [keys('cd sr\t -P\r'), out('cd src/\b -P\r\n')]],
  ['in wide letters', [keys('密码：\r'), out('密码：\r\n')]],
  ['in a field that is drawn again', [keys('web\r'), out('\x1b[999D\x1b[2A\x1b[J◆  Slug\r\n│  web\r\n└')]],
  [
    'in a field of several rows',
    [keys('a line that wraps'), out('\x1b[1A\x1b[J│ a line │\r\n│ that wraps │\r\n└──'), keys('\r')],
  ],
  ['in a box', [keys('web'), out('\x1b[3;4Hweb'), keys('\r'), out('\x1b[2J')]],
  ['with the prompt drawn again', [keys('web\r'), out('\r\x1b[KSlug: web\r\nok')]],
])('what is entered is none if it is shown %s', (_, steps) => {
  expect(played(steps, { before: '? Slug: ' })).toEqual({ doubt: [], sure: [], verdicts: ['shown'] })
})

it('what a program read and did not show is a secret, even where it prints it in the row of its prompt', () => {
  const unseen: Step = { key: '\r', unseen: true }
  for (const printed of ['hunter22\r\n', '\r\x1b[KWord: hunter22\r\n', '\rit was hunter22.\r\n']) {
    const steps = [keys('hunter22'), unseen, out(printed), { judge: 'secret', line: 1 }] satisfies Step[]
    expect(played(steps)).toEqual({ doubt: [], sure: ['hunter22'], verdicts: ['unseen'] })
  }
  // It was shown after all.
  const steps = [keys('hunter22'), out('hunter22'), unseen, out('\r\n')]
  expect(played(steps)).toEqual({ doubt: [], sure: [], verdicts: ['shown'] })
})

it('a line may wrap', () => {
  const text = 'a long line that wraps'
  const steps = [keys(`${text}\r`), out(`${text.slice(0, 16)} \r${text.slice(16)}\r\n`)]
  expect(played(steps, { before: '$ ', columns: 18 }).verdicts).toEqual(['shown'])
})

it('nothing is said of a line before its row ends', () => {
  expect(played([enter]).verdicts).toEqual(['open'])
  expect(played([enter, out('\r\n')])).toEqual({ doubt: [], sure: [], verdicts: ['open'] })
})

it('a hidden line stays a secret unless it was seen', () => {
  const hidden = [enter, out('\r\nok\r\n')]
  expect(played([...hidden, { judge: 'seen', line: 1 }])).toEqual({ doubt: [], sure: [], verdicts: ['shown'] })
  expect(played([...hidden, { judge: 'secret', line: 1 }])).toMatchObject({ doubt: [], sure: ['hunter22'] })
  expect(played([...hidden, keys('other1\r'), out('\r\nok')])).toEqual({
    doubt: ['other1'],
    sure: ['hunter22'],
    verdicts: ['hidden', 'hidden'],
  })
})

it('what is said of one line says nothing of another', () => {
  const both = [enter, out('\r\nColour: '), keys('green\r'), out('green\r\n')]
  expect(played([...both, { judge: 'seen', line: 2 }])).toEqual({
    doubt: ['hunter22'],
    sure: [],
    verdicts: ['hidden', 'shown'],
  })
  expect(played([...both, { judge: 'seen', line: 1 }])).toMatchObject({ doubt: [], verdicts: ['shown', 'shown'] })
  expect(played([enter, { judge: 'secret', line: 1 }, out('\r\nok')])).toEqual({
    doubt: [],
    sure: ['hunter22'],
    verdicts: ['hidden'],
  })
})

it('lines typed ahead have their own echo each', () => {
  const typed = [keys('one1\r'), keys('two2\r')]
  expect(played([...typed, out('one1\r\ntwo2\r\nok')]).verdicts).toEqual(['shown', 'shown'])
  expect(played([...typed, out('\r\ntwo2\r\nok')]).verdicts).toEqual(['hidden', 'shown'])
  expect(played([...typed, out('one1\r\n\r\nit was two2')])).toMatchObject({
    doubt: ['two2'],
    verdicts: ['shown', 'hidden'],
  })
})

it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('the verdict is the same if output comes %s keys late', (late) => {
  for (const size of [1, 2, 3, 5, 100]) {
    for (const [echo, verdict] of [
      ['make', 'shown'],
      ['****', 'hidden'],
      ['', 'hidden'],
    ] as const) {
      const steps: Step[] = []
      let printed = ''
      const print = (text: string) => {
        for (let at = 0; at < text.length; at += size) steps.push(out(text.slice(at, at + size)))
        printed += text
      }
      for (const [at, letter] of Array.from('make\r').entries()) {
        steps.push(keys(letter))
        print(echo.slice(printed.length, Math.max(printed.length, at + 1 - late)))
      }
      print(`${echo.slice(printed.length)}\r\nit was make.\r\n`)
      expect(played(steps)).toMatchObject({ doubt: verdict === 'shown' ? [] : ['make'], verdicts: [verdict] })
    }
  }
})
