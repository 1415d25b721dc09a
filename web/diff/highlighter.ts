import type { SyntaxToken } from './line-pieces.ts'

export type HighlightRequest = { id: number; language: string; lines: string[] }
export type HighlightAnswer = { id: number; tokens: SyntaxToken[][] | null }

/** The part of Worker that is used here. */
export type HighlightWorker = {
  post: (request: HighlightRequest) => void
  end: () => void
}
type HighlightListener = { answer: (answer: HighlightAnswer) => void; failed: () => void }

export type Highlighter = { highlight: (language: string, lines: string[]) => Promise<SyntaxToken[][] | null> }

type HighlightOptions = {
  start: (hears: HighlightListener) => HighlightWorker
  patienceMs?: number
  mostFailures?: number
}
type Job = HighlightRequest & { done: (tokens: SyntaxToken[][] | null) => void }

/** One text at a time, the newest first, since that is on screen. A text that takes too long or fails stays plain. */
export function createHighlighter({ start, patienceMs = 2000, mostFailures = 3 }: HighlightOptions): Highlighter {
  const waiting: Job[] = []
  let worker: HighlightWorker | null = null
  let job: Job | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let [ids, failures] = [0, 0]

  const finish = (tokens: SyntaxToken[][] | null): void => {
    clearTimeout(timer)
    const finished = job
    job = null
    finished?.done(tokens)
    next()
  }
  const fail = (): void => {
    failures += 1
    worker?.end()
    worker = null
    finish(null)
  }
  const next = (): void => {
    if (job !== null) return
    job = waiting.pop() ?? null
    if (job === null) return
    if (failures >= mostFailures) return finish(null)
    timer = setTimeout(fail, patienceMs)
    try {
      worker ??= start({
        answer: ({ id, tokens }) => {
          if (id === job?.id) finish(tokens)
        },
        failed: fail,
      })
      worker.post({ id: job.id, language: job.language, lines: job.lines })
    } catch {
      fail()
    }
  }
  return {
    highlight: (language, lines) =>
      new Promise((done) => {
        waiting.push({ id: (ids += 1), language, lines, done })
        next()
      }),
  }
}

let shared: Highlighter | undefined

export const pageHighlighter = (): Highlighter => (shared ??= createHighlighter({ start: startWorker }))

function startWorker({ answer, failed }: HighlightListener): HighlightWorker {
  const worker = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' })
  worker.addEventListener('message', ({ data }: MessageEvent<HighlightAnswer>) => answer(data))
  worker.addEventListener('error', failed)
  return { post: (request) => worker.postMessage(request), end: () => worker.terminate() }
}
