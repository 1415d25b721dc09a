import { writtenType } from '../../../app/events.ts'
import type { Detection, Terminals } from '../../../app/terminals.ts'
import { api } from '../../../client/contract.ts'
import type { Terminal } from '../../../domain/terminal/schema.ts'
import { actorName } from '../../../domain/user/actor.ts'
import { ok } from '../../../lib/result.ts'
import { nextPage, pageStart } from '../page-cursor.ts'
import { mount, type RouteDeps, type Web } from '../route.ts'

type TerminalWithDetection = { terminal: Terminal; detection: Detection | null }

export function mountTerminals(web: Web, deps: RouteDeps, terminals: Terminals): void {
  const { app } = deps

  mount(web, deps, api.startTerminal, async ({ body }, { caller }) => {
    const { sessionId, logFile, filePosition, command, cwd, host, user, name, parentSessionId, ...rest } = body
    const started = await terminals.start({
      ...rest,
      sessionId: sessionId ?? null,
      logFile: logFile ?? null,
      filePosition: filePosition ?? null,
      command: command ?? null,
      cwd: cwd ?? null,
      host: host ?? null,
      user: user ?? null,
      name: name ?? null,
      parentSessionId: parentSessionId ?? null,
      actor: caller.actor,
    })
    return started.ok ? ok(view({ terminal: started.value, detection: null })) : started
  })

  mount(web, deps, api.adoptTerminal, async ({ body }, { caller }) => {
    const adopted = await terminals.adopt(body.childId, caller.actor)
    return adopted.ok ? ok(view({ terminal: adopted.value, detection: null })) : adopted
  })

  mount(web, deps, api.listTerminals, async ({ query }, { caller }) => {
    const before = pageStart(query.before)
    if (!before.ok) return before
    const { state, limit } = query
    const found = await terminals.list(caller.actor, { state, limit, before: before.value })
    if (!found.ok) return found
    const places = found.value.map(({ terminal: { startTime, sessionId } }) => ({
      createdAt: startTime,
      id: sessionId,
    }))
    return ok({ terminals: found.value.map(view), next: nextPage(places, limit) })
  })

  mount(web, deps, api.searchTerminals, async ({ query }, { caller }) => {
    const { q, sessionId, since, until, ...rest } = query
    const wanted = { ...rest, query: q, sessionId: sessionId ?? null, since: since ?? null, until: until ?? null }
    const found = await terminals.search(wanted, caller.actor)
    if (!found.ok) return found
    const { matches, truncated, didYouMean } = found.value
    const shown = matches.map(({ sessionId: of, line, offset, at, before, after }) => ({
      sessionId: of,
      line,
      offset,
      at,
      before: [...before],
      after: [...after],
    }))
    return ok({ matches: shown, truncated, didYouMean: [...didYouMean] })
  })

  mount(web, deps, api.getTerminal, async ({ params }, { caller }) => {
    const found = await terminals.get(params.id, caller.actor)
    return found.ok ? ok(view(found.value)) : found
  })

  mount(web, deps, api.stopTerminal, async ({ params }, { caller }) => {
    const stopped = await terminals.stop(params.id, caller.actor)
    if (!stopped.ok) return stopped
    const { terminal, bytesCaptured } = stopped.value
    return ok({ ...view({ terminal, detection: null }), bytesCaptured })
  })

  mount(web, deps, api.endTerminal, async ({ params }, { caller }) => {
    const ended = await terminals.end(params.id, caller.actor)
    return ended.ok ? ok(view({ terminal: ended.value, detection: null })) : ended
  })

  mount(web, deps, api.terminalDetection, async ({ params }, { caller }) => {
    const detected = await terminals.detect(params.id, caller.actor)
    return detected.ok ? ok(shownDetection(detected.value)) : detected
  })

  mount(web, deps, api.terminalScreen, ({ params, query }, { caller }) =>
    terminals.screen(params.id, query.format, caller.actor),
  )

  mount(web, deps, api.terminalUpdates, ({ params, query }, { caller }) =>
    terminals.updates(params.id, { ...query, cursor: query.cursor ?? null }, caller.actor),
  )

  mount(web, deps, api.terminalInput, ({ params, body }, { caller, once }) =>
    terminals.input({
      ...body,
      id: params.id,
      expectPrompt: body.expectPrompt ?? null,
      actor: caller.actor,
      // Without a fingerprint: the input may be secret.
      ...(once.key !== undefined && { key: `rest ${actorName(caller.actor)} ${once.key}` }),
    }),
  )

  mount(web, deps, api.resizeTerminal, async ({ params, body }, { caller }) => {
    const resized = await terminals.resize(params.id, body, caller.actor)
    return resized.ok ? ok(body) : resized
  })

  mount(web, deps, api.grantTerminal, async ({ params, body }, { caller }) => {
    const { sessionId, granted } = body
    const type = granted ? ('terminal.grant' as const) : ('terminal.revoke' as const)
    const done = await app.dispatch({ type, id: params.id, sessionId }, caller.actor)
    return done.ok ? ok({ granted }) : done
  })

  mount(web, deps, api.terminalLive, async ({ params, query }, { caller, context, again }) => {
    const refused = new AbortController()
    const signal = AbortSignal.any([context.req.raw.signal, deps.inFlight.stopping, refused.signal])
    const opened = await terminals.live(params.id, query.from, caller.actor, signal)
    if (!opened.ok) return opened
    // Access may be revoked while the stream is open.
    const lookAgain = async () => {
      const still = await again().catch(() => null)
      const found = still?.ok ? await terminals.get(params.id, still.value.actor).catch(() => null) : null
      if (!found?.ok) refused.abort()
    }
    // On revocation, and at intervals because logins and tokens expire without an event.
    const told = app.tail.listen((events) => {
      if (events.some((event) => takesAccess.test(writtenType(event)))) void lookAgain()
    })
    const watch = setInterval(() => void lookAgain(), lookAgainMs)
    watch.unref()
    const over = () => {
      clearInterval(watch)
      told[Symbol.dispose]()
    }
    signal.addEventListener('abort', over)
    return streamed(ending(opened.value, over), 'application/octet-stream')
  })

  mount(web, deps, api.terminalCast, async ({ params, query }, { caller }) => {
    const opened = await terminals.cast(params.id, query.version === '3' ? 3 : 2, caller.actor)
    return opened.ok ? streamed(opened.value, 'application/x-asciicast', `${params.id}.cast`) : opened
  })
}

const lookAgainMs = 2000
const takesAccess =
  /^(role|member|token|terminal)\.(revoked|removed)$|^login\.ended$|^user\.removed$|^session\.undelegated$/

/** Calls `over` when the stream ends. */
const ending = (body: ReadableStream<Uint8Array>, over: () => void): ReadableStream<Uint8Array> =>
  body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ flush: over }))

const view = ({ terminal, detection }: TerminalWithDetection) => ({
  ...terminal,
  detection: detection && shownDetection(detection),
})

const shownDetection = (detection: Detection) => ({
  ...detection,
  suggestedInputs: [...detection.suggestedInputs],
  choices: [...detection.choices],
  evidence: [...detection.evidence],
})

const streamed = (body: ReadableStream<Uint8Array>, type: string, name?: string): Response =>
  new Response(body, {
    headers: {
      'content-type': type,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(name !== undefined && { 'content-disposition': `attachment; filename="${name}"` }),
    },
  })
