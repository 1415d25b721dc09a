import { mkdir, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { literal, openTerminalHarness, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'

describe('detection', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it.each([
    ['yes_no', 'Install 3 packages? [Y/n] ', 'Install 3 packages? [Y/n]'],
    ['choice', 'Pick one:\\n  1) red\\n  2) green\\n  3) blue\\nYour choice [1-3]: ', 'Your choice [1-3]:'],
    ['path', 'Enter file in which to save the key (/root/.ssh/id_rsa): ', '/root/.ssh/id_rsa'],
    ['text', 'Project name: ', 'Project name:'],
  ])('T3 a prompt of type %s, with all its fields', async (type, text, shown) => {
    const { sessionId: id } = await harness.run(`printf 'Starting\\n'; printf '${text}'; read a; sleep 600`)
    const found = await harness.waits(id, literal(shown))
    expect(found).toMatchObject({
      waiting: true,
      state: 'waiting',
      promptType: type,
      decidedBy: 'kernel',
      secret: false,
    })
    expect(new RegExp(found.matchedPattern).test(found.promptText)).toBe(true)
    expect(found.confidence).toBeGreaterThan(0.7)
    expect(found.confidence).toBeLessThanOrEqual(1)
    expect(found.promptId).toMatch(/\S/)
    await until(async () => (await harness.get(id)).filePosition === found.filePosition)
    expect(Math.abs(Date.parse(found.timestamp) - Date.now())).toBeLessThan(10_000)
    expect(found.evidence).toContainEqual(expect.objectContaining({ signal: 'kernel', says: 'waiting' }))
    expect(found.evidence.every(({ detail }) => detail.length > 0)).toBe(true)
  })

  it('T3 the default, and the choices with their keys', async () => {
    const { sessionId: id } = await harness.run('printf "Go on? [Y/n] "; read a; sleep 600')
    const found = await harness.waits(id, /Go on/)
    expect(found.default?.toLowerCase()).toBe('y')
    expect(found.choices.map(({ key }) => key.toLowerCase()).toSorted()).toEqual(['n', 'y'])
    expect(found.choices.filter(({ isDefault }) => isDefault)).toHaveLength(1)
    expect(found.suggestedInputs.length).toBeGreaterThan(0)
  })

  it('T3 the whole text of a prompt that the terminal wrapped', async () => {
    const long = `Do you really want to go on with the installation of ${'another-package '.repeat(12)}now? [y/N] `
    const { sessionId: id } = await harness.run(`printf '${long}'; read a; sleep 600`)
    const found = await harness.waits(id, /now\?/)
    expect(found.promptText.replaceAll(/\s+/g, ' ').trim()).toBe(long.trim())
    expect(new RegExp(found.matchedPattern).test(found.promptText)).toBe(true)
  })

  it('T3 a password is secret by the terminal mode, whatever the words', async () => {
    const { sessionId: id } = await harness.run(
      'printf "Abracadabra: "; stty -echo; read p; stty echo; echo; sleep 600',
    )
    const found = await harness.waits(id, /Abracadabra/)
    await until(async () => (await harness.detect(id)).secret)
    expect(await harness.detect(id)).toMatchObject({ promptType: 'password', secret: true })
    expect(found.promptText).toContain('Abracadabra:')
  })

  it.each([
    ['Delete 3 tables? (yes/no): ', /delet/i],
    ['Overwrite existing file config.yml? [y/N] ', /overwrit|replace/i],
    ['Are you sure you want to continue connecting (yes/no/[fingerprint])? ', /trust|host|identity|key/i],
  ])('T3 %s is dangerous, with the reason', async (text, reason) => {
    const { sessionId: id } = await harness.run(`printf '${text}'; read a; sleep 600`)
    expect(await harness.waits(id, /\?/)).toMatchObject({
      isDangerous: true,
      dangerReason: expect.stringMatching(reason),
    })
  })

  it('T3 a harmless prompt has no danger reason', async () => {
    const { sessionId: id } = await harness.run('printf "Show colours? [y/N] "; read a; sleep 600')
    expect(await harness.waits(id, /colours/)).toMatchObject({ isDangerous: false, dangerReason: null })
  })

  it('T3 an answered prompt is no longer one, although it is still on the screen', async () => {
    const { sessionId: id } = await harness.run('printf "Go on? [y/n] "; stty -echo; read a; sleep 600')
    const { promptId } = await harness.waits(id, /Go on/)
    expect(await harness.type(id, 'y', { expectPrompt: promptId })).toMatchObject({ status: 'delivered' })
    await until(async () => !(await harness.detect(id)).waiting)
    const now = await harness.detect(id)
    expect(now).toMatchObject({ waiting: false, state: 'working', promptId: null })
    expect(now.evidence).toContainEqual(expect.objectContaining({ says: 'working' }))
  })

  it('T3 what only looks like a prompt is not one: the program is not reading', async () => {
    const { sessionId: id } = await harness.run('printf "Continue? [y/N] "; sleep 600')
    await harness.prints(id, /Continue/)
    const since = Date.now()
    await until(() => Date.now() - since > 300)
    expect(await harness.detect(id)).toMatchObject({ waiting: false, state: 'working' })
  })

  it('T3 the same question asked twice is two prompts', async () => {
    const { sessionId: id } = await harness.run('while printf "Again? [y/n] "; read a; do :; done')
    const first = await harness.waits(id, /Again/)
    await harness.type(id, 'y', { expectPrompt: first.promptId })
    const second = await until(async () => {
      const now = await harness.detect(id)
      return now.waiting && now.promptId !== first.promptId ? now : null
    })
    expect(second.promptText.trim().endsWith('Again? [y/n]')).toBe(true)
    expect((await harness.detect(id)).promptId).toBe(second.promptId)
  })

  it('T3 a shell, a program that has ended, and a log without kernel signals', async () => {
    const shell = await harness.start({ sessionType: 'script', command: ['env', 'PS1=ready$ ', 'sh', '-i'] })
    expect(await harness.waits(shell.sessionId, /ready/)).toMatchObject({ promptType: 'command' })
    await harness.type(shell.sessionId, 'exit')
    expect(await harness.ended(shell.sessionId)).toMatchObject({ state: 'stopped' })
    await writeFile(harness.at('a.log'), 'working\nOverwrite existing file? [y/N] ')
    const log = await harness.follow(harness.at('a.log'), { filePosition: 0 })
    const found = await harness.waits(log.sessionId, /Overwrite/)
    expect(found.decidedBy).toBeOneOf(['screen', 'text', 'silence'])
    expect(found).toMatchObject({ promptType: 'yes_no', isDangerous: true })
    expect(found.confidence).toBeLessThan(0.97)
  })
})

type Prediction = {
  id: string
  waiting: boolean
  type: string
  prompt_text: string
  dangerous: boolean
  confidence: number
}

describe('signalbox detect', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const recorded = (id: string, text: string, more: Record<string, unknown> = {}) => ({
    id,
    cols: 80,
    rows: 24,
    chunks: [{ t_ms: 0, b64: Buffer.from(text).toString('base64') }],
    inputs: [],
    end_ms: 2000,
    exited: false,
    ...more,
  })

  async function corpus(name: string, cases: Record<string, unknown>[]): Promise<string> {
    await mkdir(harness.at(name), { recursive: true })
    for (const one of cases) await writeFile(harness.at(`${name}/${String(one['id'])}.json`), JSON.stringify(one))
    return harness.at(name)
  }
  const predicted = (stdout: string): Prediction[] =>
    stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))

  const cases = [
    recorded('a-yes-no', 'Reading lists\r\nDo you want to continue? [Y/n] '),
    recorded('b-password', "ann@web1's password: "),
    recorded('c-working', 'Compiling 1 of 20\r\nCompiling 2 of 20\r\n', { end_ms: 20 }),
    recorded('d-exited', 'Continue? [y/N] ', { exited: true }),
    recorded('e-danger', 'Drop database shop? All data will be lost. [y/N] '),
  ]

  it('T4 one line of JSON for each case, from what was on the screen', async () => {
    const { code, stdout } = await harness.server.cli('detect', '--corpus', await corpus('plain', cases))
    expect(code).toBe(0)
    const lines = predicted(stdout).toSorted((a, b) => a.id.localeCompare(b.id))
    for (const line of lines)
      expect(Object.keys(line).toSorted()).toEqual(['confidence', 'dangerous', 'id', 'prompt_text', 'type', 'waiting'])
    expect(lines).toMatchObject([
      {
        id: 'a-yes-no',
        waiting: true,
        type: 'yes_no',
        prompt_text: 'Do you want to continue? [Y/n]',
        dangerous: false,
      },
      { id: 'b-password', waiting: true, type: 'password', prompt_text: "ann@web1's password:" },
      { id: 'c-working', waiting: false, type: 'none', dangerous: false },
      { id: 'd-exited', waiting: false, type: 'none' },
      { id: 'e-danger', waiting: true, type: 'yes_no', dangerous: true },
    ])
  })

  it('T4 labels, truth and names are ignored', async () => {
    const wrong = {
      label: { waiting: false, type: 'none', prompt_text: 'wrong', dangerous: true },
      truth: { readers: [], echo: false, icanon: true },
      family: 'sudo',
      program: 'sudo',
      argv: ['sudo', '-v'],
      synthetic: true,
      notes: 'not waiting',
    }
    const bare = await harness.server.cli('detect', '--corpus', await corpus('bare', cases))
    const labelled = await harness.server.cli(
      'detect',
      '--corpus',
      await corpus(
        'labelled',
        cases.map((one) => ({ ...one, ...wrong })),
      ),
    )
    expect(labelled.stdout).toBe(bare.stdout)
    expect(labelled.stdout).not.toBe('')
  })

  it('T4 the cases may be in a folder of that name', async () => {
    await corpus('whole/cases', cases.slice(0, 1))
    const { code, stdout } = await harness.server.cli('detect', '--corpus', harness.at('whole'))
    expect([code, predicted(stdout).length]).toEqual([0, 1])
  })

  it('T4 files that are not cases are skipped and named; the rest is reported', async () => {
    const path = await corpus('bad', cases.slice(0, 2))
    await writeFile(`${path}/torn.json`, '{"id":"torn","chu')
    await writeFile(`${path}/empty.json`, '')
    await writeFile(`${path}/other.json`, '[1,2]')
    await writeFile(
      `${path}/base64.json`,
      JSON.stringify({ ...recorded('base64', ''), chunks: [{ t_ms: 'x', b64: 5 }] }),
    )
    const { code, stdout, stderr } = await harness.server.cli('detect', '--corpus', path)
    expect(code).not.toBe(0)
    expect(predicted(stdout).map(({ id }) => id)).toEqual(['a-yes-no', 'b-password'])
    for (const name of ['torn', 'empty', 'other', 'base64']) expect(stderr).toContain(`${name}.json`)
  })

  it('T4 a missing or empty directory is reported as such', async () => {
    const none = await harness.server.cli('detect', '--corpus', harness.at('nowhere'))
    expect(none.code).not.toBe(0)
    expect(none.stderr).toContain('nowhere')
    const empty = await harness.server.cli('detect', '--corpus', await corpus('empty', []))
    expect(empty.code).not.toBe(0)
    expect(empty.stderr).toMatch(/no .json file/)
    expect((await harness.server.cli('detect')).code).toBe(2)
  })
})
