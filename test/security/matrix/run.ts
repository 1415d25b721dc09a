import { request } from 'node:http'
import { optionsOf, type Reply } from '../../support/api.ts'
import { callerNames, pastPermission, refusals, type CallerName } from './callers.ts'
import type { MatrixSetup } from './setup.ts'
import { isOpen } from './open.ts'
import { none, type Prepared, type Prepare, type Spec } from './spec.ts'
import { titleOf, type Row } from './table.ts'
import { onlyAsked, traces } from './traces.ts'

const shared = new WeakMap<MatrixSetup, Map<Prepare, Promise<Prepared>>>()

function subjectOf(spec: Spec, setup: MatrixSetup): Promise<Prepared> {
  const { on, fresh } = spec
  if (!on) return Promise.resolve(none)
  if (fresh) return on(setup)
  const known = shared.get(setup) ?? new Map<Prepare, Promise<Prepared>>()
  shared.set(setup, known)
  const found = known.get(on) ?? on(setup)
  known.set(on, found)
  return found
}

/** Runs one row; returns one line for every cell that does not hold. */
export async function runRow(row: Row, spec: Spec, setup: MatrixSetup): Promise<string[]> {
  const wanted = callerNames.filter((caller) => !['n/a', 'hear', '-'].includes(row.cells[caller]))
  const isRefused = (caller: CallerName) => row.cells[caller] in refusals
  const known = (caller: CallerName) => isOpen(titleOf(row), caller)
  const refused = wanted.filter((caller) => isRefused(caller) && !known(caller))
  const asking = wanted.filter((caller) => row.cells[caller] === 'asks')
  const others = wanted.filter(
    (caller) => !refused.includes(caller) && !asking.includes(caller) && !(spec.last && !isRefused(caller)),
  )
  const lines: string[] = []
  const subject = await subjectOf(spec, setup)
  const before = await traces(setup)
  const answered = await Promise.all(refused.map((caller) => cell(row, spec, setup, caller, subject)))
  lines.push(...answered.flatMap((line) => line ?? []))
  const changed = (await traces(setup)).filter((trace) => !before.includes(trace))
  if (changed.length > 0) lines.push(`${titleOf(row)}: refused, and yet: ${changed.slice(0, 3).join('; ')}`)
  lines.push(...(await onlyAsked(row, setup, asking, (caller) => cell(row, spec, setup, caller, subject))))
  const tried =
    spec.fresh && spec.on
      ? await oneByOne(others, async (caller) => cell(row, spec, setup, caller, await subjectOf(spec, setup)))
      : await Promise.all(others.map((caller) => cell(row, spec, setup, caller, subject)))
  return [
    ...lines,
    ...others.flatMap((caller, index) => {
      const line = tried[index] ?? null
      if (!known(caller)) return line ?? []
      return line === null ? `${titleOf(row)}, ${caller}: closed by now; take it out of open.ts` : []
    }),
  ]
}

async function cell(
  row: Row,
  spec: Spec,
  setup: MatrixSetup,
  caller: CallerName,
  subject: Prepared,
): Promise<string | null> {
  const [method = 'GET', address = ''] = row.name.split(' ')
  const params: Record<string, string> = {
    id: subject.id,
    ...subject.params,
    ...spec.paramsOf?.(subject, setup, caller),
  }
  const path = address.replace(/\{(\w+)\}|[:$](\w+)/g, (_whole, braced?: string, bare?: string) =>
    encodeURIComponent(params[braced ?? bare ?? ''] ?? 'missing'),
  )
  const query = typeof spec.query === 'function' ? spec.query(subject, setup) : (spec.query ?? '')
  const body = spec.bodyOf ? spec.bodyOf(subject, setup, caller) : spec.body
  const ends = spec.endsLogin && caller === 'cook' ? { cookie: setup.spareCookie } : {}
  const { 'x-forwarded-for': from, ...known } = setup.headers(caller, subject)
  const origin = from === undefined || spec.isLocal ? {} : { 'x-forwarded-for': from }
  const headers = { ...origin, ...known, ...ends, ...spec.headers }
  const reply = spec.stream
    ? await beginning(setup, `${path}${query}`, headers)
    : await setup.server.tcp(headers).send(method, `${path}${query}`, body === undefined ? {} : { body })
  const got = verdict(row.cells[caller], method === 'GET' ? subject.marker : undefined, reply)
  return got === null ? null : `${titleOf(row)}, ${caller}: expected ${row.cells[caller]}, got ${got}`
}

/** Null if the response is what the cell says, otherwise the response. */
export function verdict(expected: string, marker: string | undefined, reply: Reply): string | null {
  const { status, text } = reply
  const refusal = refusals[expected]
  const error =
    status >= 400 ? (reply.body as { error?: { code?: string; message?: string } } | undefined)?.error : undefined
  const code = error?.code ?? ''
  if (refusal) {
    const fits = status === refusal.status && (refusal.codes === null || refusal.codes.includes(code))
    return fits ? null : `${status} ${code}`.trim()
  }
  if (expected === 'asks') return status === 409 && code === 'pending' ? null : `${status} ${code}`.trim()
  if (expected === 'nil') return [400, 404, 409].includes(status) ? null : `${status} ${code}`.trim()
  if (expected === 'past' && pastPermission.has(code)) return null
  if (status >= 400) return `${status} ${code} ${error?.message ?? text.slice(0, 100)}`.trim()
  if (marker === undefined) return null
  const shows = text.includes(marker)
  if (expected === 'own') return shows ? `${status}, and it shows what is not theirs` : null
  return shows ? null : `${status}, and it does not show what is asked for`
}

/** The beginning of an endless response. */
function beginning(setup: MatrixSetup, path: string, headers: Record<string, string>): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request({ ...optionsOf({ address: setup.server.address }), path, headers, agent: false })
    call.on('response', (response) => {
      const chunks: Buffer[] = []
      const done = () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const body = /json/.test(response.headers['content-type'] ?? '') ? (JSON.parse(text) as unknown) : undefined
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body })
      }
      if ((response.statusCode ?? 0) < 400) {
        done()
        call.destroy()
        return
      }
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', done)
    })
    call.on('error', reject)
    call.end()
  })
}

async function oneByOne<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}
