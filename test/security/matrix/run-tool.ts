import { callerNames, refusals, type CallerName } from './callers.ts'
import type { MatrixSetup } from './setup.ts'
import { isOpen } from './open.ts'
import type { ToolSpec } from './requests/tools.ts'
import { none, type Prepared } from './spec.ts'
import { titleOf, type Row } from './table.ts'
import { callTool, mcp } from './tool-call.ts'
import { onlyAsked } from './traces.ts'

/** Runs one row of the tools; returns one line for every cell that does not hold. */
export async function runTool(row: Row, spec: ToolSpec, setup: MatrixSetup): Promise<string[]> {
  const subjectOf = () => spec.on?.(setup) ?? Promise.resolve(none)
  const one = await subjectOf()
  const asking = callerNames.filter((caller) => row.cells[caller] === 'asks')
  const wanted = callerNames.filter((caller) => !asking.includes(caller))
  const all = await Promise.all(
    wanted.map(async (caller) => {
      // Refused callers do not change it; allowed callers may use it up.
      const uses = spec.fresh && !(row.cells[caller] in refusals) && row.cells[caller] !== 'no'
      return cell(row, spec, setup, caller, uses ? await subjectOf() : one)
    }),
  )
  const asked = await onlyAsked(row, setup, asking, async (caller) => {
    const got = await cell(row, spec, setup, caller, one)
    return got === null ? null : `${titleOf(row)}, ${caller}: expected asks, got ${got}`
  })
  const lines = wanted.flatMap((caller, index) => {
    const got = all[index] ?? null
    if (isOpen(titleOf(row), caller))
      return got === null ? `${titleOf(row)}, ${caller}: closed by now; take it out of open.ts` : []
    return got === null ? [] : `${titleOf(row)}, ${caller}: expected ${row.cells[caller]}, got ${got}`
  })
  return [...asked, ...lines]
}

async function cell(
  { name, cells }: Row,
  spec: ToolSpec,
  setup: MatrixSetup,
  caller: CallerName,
  subject: Prepared,
): Promise<string | null> {
  const expected = cells[caller]
  const headers = setup.headers(caller, subject)
  const isResource = name.includes('://')
  const { reply, answer } = isResource
    ? await mcp(setup, headers, 'resources/read', { uri: name })
    : await callTool(setup, headers, name, spec.input?.(subject, setup) ?? {})
  const refusal = refusals[expected]
  const code = (reply.body as { error?: { code?: string | number } } | undefined)?.error?.code
  if (refusal) {
    const fits = reply.status === refusal.status && (refusal.codes === null || refusal.codes.includes(String(code)))
    return fits ? null : `${reply.status} ${String(code ?? '')}`.trim()
  }
  const failed = reply.status >= 400 || answer.error !== undefined || answer.result?.isError === true
  if (expected === 'no') return failed ? null : `${reply.status}, and it was done`
  if (failed) return `${reply.status} ${reply.text.slice(0, 300)}`
  if (expected === 'asks')
    return answer.result?.structuredContent?.['status'] === 'pending' ? null : reply.text.slice(0, 300)
  if (subject.marker === undefined) return null
  const shows = reply.text.includes(subject.marker)
  if (expected === 'own') return shows ? 'what is not theirs' : null
  return shows ? null : 'an answer without what is asked for'
}
