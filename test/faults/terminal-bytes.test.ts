import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTerminalHarness, residentMegabytes, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'

const esc = '\u001B'
const sum = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')

describe('hostile output', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const outputOf = async (id: string): Promise<string> => {
    const { text } = await harness.owner.send('GET', `/api/terminals/${id}/cast`)
    const events = text
      .split('\n')
      .filter(Boolean)
      .slice(1)
      .map((line): [number, string, string] => JSON.parse(line))
    return events.flatMap(([, kind, data]) => (kind === 'o' ? [data] : [])).join('')
  }

  it.each([
    ['an OSC of a megabyte', `${esc}]0;${'x'.repeat(1_000_000)}\u0007`],
    ['an OSC that never ends', `${esc}]52;c;${'QUFB'.repeat(250_000)}`],
    ['a DCS of a megabyte', `${esc}P${'q'.repeat(1_000_000)}${esc}\\`],
    ['a CSI that never ends', `${esc}[${'1;'.repeat(200_000)}`],
    ['a CSI with huge numbers', `${esc}[999999999999999999999;99999999999999999999H`.repeat(1000)],
    ['a megabyte without a line end', 'word '.repeat(200_000)],
    ['a title with line ends and escapes', `${esc}]0;\n\r${esc}[31m<script>alert(1)</script>\u0007`],
    ['the cursor at row 999999', `${esc}[999999;999999Hx${esc}[999999Bx${esc}[999999L${esc}[999999S`],
    ['a hundred thousand combining characters', `e${'\u0301'.repeat(100_000)}`],
    ['132 columns and back', `${esc}[?40h${esc}[?3h wide ${esc}[?3l`.repeat(500)],
    ['requests for another size', `${esc}[8;9999;9999t${esc}[8;1;1t${esc}[4;1;1t${esc}[9;1t`.repeat(200)],
    ['repeated characters', `x${esc}[999999999b`.repeat(20)],
    ['tabs and scroll regions', `${esc}H\t${esc}[3g${esc}[5;1r${esc}[1;999999r`.repeat(5000)],
    ['full reset and alternate screens', `${esc}c${esc}[?1049h${esc}[?47h${esc}[?1049l`.repeat(5000)],
    ['bytes of all kinds', Buffer.from(Array.from({ length: 200_000 }, (_, n) => (n * 7919) % 256))],
  ])('%s: it is recorded, the prompt after it is found, and answers arrive', async (name, bytes) => {
    const file = harness.at(name.replaceAll(' ', '-'))
    await writeFile(file, bytes)
    const before = residentMegabytes(harness.server.pid)
    // Everything is reset as a person would do it, then it asks.
    const script = `stty -opost; cat '${file}'; printf '\\033\\\\\\030\\033c\\r\\n'; stty sane; printf 'Still here? [y/n] '; read a; printf "got %s\\n" "$a"; sleep 600`
    const { sessionId: id } = await harness.run(script)
    const { promptId, promptText } = await harness.waits(id, /Still here\? \[y\/n\]/)
    expect(promptText.length).toBeLessThan(9000)
    expect(await harness.type(id, 'y', { expectPrompt: promptId, confirmed: true })).toMatchObject({
      status: 'delivered',
    })
    await harness.prints(id, /got y/)
    expect(residentMegabytes(harness.server.pid) - before).toBeLessThan(200)
    const { terminals } = await harness.owner.get<{ terminals: { sessionId: string; cols: number }[] }>(
      '/api/terminals',
    )
    expect(terminals.find((one) => one.sessionId === id)).toMatchObject({ cols: 80, rows: 24 })
    await harness.owner.post(`/api/terminals/${id}/end`)
  })

  it('escape sequences and characters that arrive byte by byte are whole in the recording', async () => {
    const text = `${esc}[1;31mröt€😀${esc}]0;títle\u0007${esc}[0m${esc}P+q544e${esc}\\ok ${'é'.repeat(50)}\r\n`
    const hex = Buffer.from(text).toString('hex')
    const program = `for (const h of '${hex}'.match(/../g)) { require('fs').writeSync(1, Buffer.from(h, 'hex')); const end = Date.now() + 2; while (Date.now() < end); }`
    const { sessionId: id } = await harness.start({
      sessionType: 'script',
      command: ['sh', '-c', 'stty -opost; exec "$0" -e "$1"', process.execPath, program],
    })
    await harness.ended(id)
    expect(await outputOf(id)).toBe(text)
    const { text: ndjson } = await harness.owner.send('GET', `/api/terminals/${id}/cast`)
    for (const line of ndjson.split('\n').filter(Boolean)) expect(line).not.toContain('\uFFFD')
  })

  it('queries to the terminal are answered if no other terminal does, and nothing else is', async () => {
    const script = `stty raw -echo; printf '\\033[2;5H\\033[6n'; head -c 6 | od -An -c; printf '\\033]52;c;?\\007\\033]0;evil\\007\\033[21t'; stty min 0 time 3; head -c 100 | od -An -c; echo end`
    const { sessionId: id } = await harness.run(script)
    const { text } = await harness.prints(id, /end/)
    expect(text).toMatch(/033 +\[ +2 +; +5 +R/)
    // Neither the clipboard nor the title is reported to a program: it could have put commands there.
    expect(text).not.toMatch(/e +v +i +l/)
  })

  it('forty megabytes of it at once are recorded to the last byte, in bounded memory', async () => {
    const before = residentMegabytes(harness.server.pid)
    const { sessionId: id } = await harness.run('seq 1 2000000')
    const { sessionId: other } = await harness.run('printf "Here? "; read a; echo "got $a"')
    expect(await harness.answer(other, /Here/, 'y')).toMatchObject({
      status: expect.stringMatching(/delivered|unverified/),
    })
    await harness.ended(id, 60)
    expect(residentMegabytes(harness.server.pid) - before).toBeLessThan(300)
    const seq = execFileSync('seq', ['1', '2000000'], { maxBuffer: 100_000_000, encoding: 'utf8' })
    expect(sum(await outputOf(id))).toBe(sum(seq.replaceAll('\n', '\r\n')))
  })

  it('a regular expression designed to explode takes no longer than another', async () => {
    await writeFile(harness.at('long.log'), `${'a'.repeat(5000)}!\n`.repeat(200))
    const { sessionId: id } = await harness.follow(harness.at('long.log'), { filePosition: 0 })
    await until(async () => (await harness.search({ q: 'a!', sessionId: id, maxResults: 100 })).matches.length === 100)
    for (const q of [
      '(a+)+$',
      '(a|aa)+$',
      '(a*)*b',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '(.*)*x',
      'a{1000}{10}',
      '(?:a{0,500}){0,500}$',
    ]) {
      const begun = Date.now()
      const reply = await harness.owner.send(
        'GET',
        `/api/terminals/search?regex=true&sessionId=${id}&q=${encodeURIComponent(q)}`,
      )
      expect([q, [200, 400].includes(reply.status)]).toEqual([q, true])
      expect([q, Date.now() - begun < 12_000]).toEqual([q, true])
    }
    // The server served others throughout.
    expect((await harness.search({ q: 'a!' })).matches.length).toBeGreaterThan(0)
  })
})
