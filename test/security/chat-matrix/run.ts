import { until } from '../../support/until.ts'
import { callerNames, type ChatCaller } from './callers.ts'
import type { ChatSpec } from './rows.ts'
import type { Cast, ChatMatrixSetup, ChatSubject } from './setup.ts'

type Row = { readonly cells: Readonly<Record<ChatCaller, string>> }

/** What a refusal says. The order counts: the first that fits. */
const refusals: readonly (readonly [code: string, words: RegExp])[] = [
  ['403o', /^Only the owner of the session can do this\./],
  ['403m', /machine right/],
  ['403r', /^Only members of (?:an|the) agent group/],
  ['404', /^No such (?:session|checkpoint|queue item)|^No session here/],
  ['400', /^This code is wrong|^This button no longer works/],
  // Of their own sessions, on a card.
  ['own', /^⚪ \*Which session\?\*/u],
]

const worksFor = (cell: string): boolean => cell === 'ok' || cell === 'own'

/** Runs one row; returns one line for every cell that does not hold. */
export async function runChatRow(title: string, row: Row, spec: ChatSpec, setup: ChatMatrixSetup): Promise<string[]> {
  const cast = await setup.cast()
  const tried = callerNames.filter((caller) => row.cells[caller] !== 'n/a')
  const refused = tried.filter((caller) => !worksFor(row.cells[caller]))
  const allowed = tried.filter((caller) => worksFor(row.cells[caller]))
  const lines: string[] = []
  const report = (caller: ChatCaller, got: string | null) => {
    if (got !== null) lines.push(`${title}, ${caller}: expected ${row.cells[caller]}, got ${got}`)
  }
  const shared = await spec.on(setup, cast)
  const cell = (caller: ChatCaller, subject: ChatSubject) =>
    runCell(row.cells[caller], caller, spec, setup, cast, subject)
  await Promise.all(refused.map(async (caller) => report(caller, await cell(caller, shared))))
  if (spec.done && (await spec.done(shared, setup))) lines.push(`${title}: refused, and yet it was done`)
  // What changes its subject needs one for each.
  if (spec.done || spec.fresh)
    for (const caller of allowed) report(caller, await cell(caller, await spec.on(setup, cast)))
  else await Promise.all(allowed.map(async (caller) => report(caller, await cell(caller, shared))))
  return lines
}

/** Null if it is as the cell says, else what happened. */
async function runCell(
  expected: string,
  caller: ChatCaller,
  spec: ChatSpec,
  setup: ChatMatrixSetup,
  { people }: Cast,
  subject: ChatSubject,
): Promise<string | null> {
  const by = people[caller]
  const before = by.told().length
  const counted = (await setup.counted()).get(by.identity) ?? 0
  const aloudBefore = setup.harness.driver.posted(subject.root).length
  spec.use(by, subject)
  // Nothing can be waited for: that nothing was done is seen when the others are through.
  if (expected === 'mute') return null
  const told = () => by.told().slice(before).map(wordsOf)
  const aloud = () =>
    spec.aloud
      ? setup.harness.driver
          .posted(subject.root)
          .slice(aloudBefore)
          .map(({ text }) => text)
      : []
  const isCounted = async () => ((await setup.counted()).get(by.identity) ?? 0) > counted
  const isQueued = async () =>
    expected === 'text' &&
    JSON.stringify(await setup.api.get(`/api/sessions/${subject.id}/queue`)).includes(`${by.name}: `)
  const isDone = async () => spec.says === null && worksFor(expected) && (await spec.done?.(subject, setup)) === true
  const seen = await until(
    async () => {
      const words = [...told(), ...aloud().filter((text) => spec.says?.test(text))][0]
      if (words !== undefined) return { words }
      if (await isDone()) return { code: 'ok' }
      if (await isQueued()) return { code: 'text' }
      return (await isCounted()) ? { code: '-' } : null
    },
    { what: `what ${caller} gets`, seconds: 10 },
  ).catch((error: unknown) => ({ code: String(error) }))
  const got = 'code' in seen ? seen.code : verdict(seen.words, spec, subject)
  if (got === expected && expected === '-' && told().length > 0) return `- and told: ${told().join()}`
  if (got === 'ok' && expected === 'ok' && spec.done && !(await isSoon(() => spec.done?.(subject, setup))))
    return 'told so, but it was not done'
  return got === expected ? null : `${got}${'words' in seen ? ` (${seen.words.slice(0, 200)})` : ''}`
}

const isSoon = (look: () => Promise<boolean> | undefined): Promise<boolean> =>
  until(async () => (await look()) === true).catch(() => false)

function verdict(words: string, spec: ChatSpec, subject: ChatSubject): string {
  const refusal = refusals.find(([, pattern]) => pattern.test(words))
  if (refusal) return refusal[0]
  if (!spec.says?.test(words)) return 'other words'
  const word = spec.marker?.(subject)
  return word === undefined || words.includes(word) ? 'ok' : 'own'
}

/** The text of an ephemeral message, and of its blocks. */
function wordsOf(json: string): string {
  const { text, blocks } = JSON.parse(json) as { text: string; blocks?: unknown }
  return blocks === undefined ? text : `${text}\n${JSON.stringify(blocks)}`
}
