import { setTimeout as sleep } from 'node:timers/promises'

type Answered = { id?: number; result?: { result?: { value?: number } } }
type Message = Answered & { method?: string; params?: { sessionId?: string; message?: string } }

const collect = { method: 'HeapProfiler.collectGarbage', params: {} }
const measure = {
  method: 'Runtime.evaluate',
  params: { expression: '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())' },
}

/**
 * Makes a Node started with `--inspect` on this port collect garbage in all its threads; returns the megabytes
 * that its heaps still use, including external memory.
 */
export async function collectGarbage(port: number): Promise<number> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string
  }[]
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '')
  const broken = Promise.withResolvers<never>()
  broken.promise.catch(() => {})
  const waiting = new Map<number, (answer: Answered) => void>()
  const threads = new Set<string>()
  socket.addEventListener('error', () => broken.reject(new Error('the inspector does not answer')))
  socket.addEventListener('close', () => broken.reject(new Error('the inspector is gone')))
  socket.addEventListener('message', ({ data }) => {
    const heard = JSON.parse(String(data)) as Message
    const { method, params } = heard
    if (method === 'NodeWorker.attachedToWorker') threads.add(params?.sessionId ?? '')
    // A thread that ends meanwhile uses nothing any more.
    else if (method === 'NodeWorker.detachedFromWorker') threads.delete(params?.sessionId ?? '')
    const answer =
      method === 'NodeWorker.receivedMessageFromWorker' ? (JSON.parse(params?.message ?? '') as Answered) : heard
    waiting.get(answer.id ?? 0)?.(answer)
  })
  let last = 0
  const ask = (asked: { method: string; params: object }, thread: string | null = null): Promise<Answered> => {
    const answered = Promise.withResolvers<Answered>()
    const id = (last += 2)
    waiting.set(id, answered.resolve)
    const inner = { id, ...asked }
    // The id of a message to a thread is never the id of a question.
    const params = { sessionId: thread, message: JSON.stringify(inner) }
    const outer = thread === null ? inner : { id: id + 1, method: 'NodeWorker.sendMessageToWorker', params }
    socket.send(JSON.stringify(outer))
    return Promise.race([answered.promise, broken.promise, ...(thread === null ? [] : [gone(thread)])])
  }
  const gone = async (thread: string): Promise<Answered> => {
    while (threads.has(thread)) await sleep(100)
    return {}
  }

  await Promise.race([new Promise((resolve) => socket.addEventListener('open', resolve)), broken.promise])
  await ask({ method: 'NodeWorker.enable', params: { waitForDebuggerOnStart: false } })
  let held = 0
  for (const thread of [null, ...threads]) {
    await ask(collect, thread)
    held += (await ask(measure, thread)).result?.result?.value ?? 0
  }
  threads.clear()
  socket.close()
  return held / 1024 / 1024
}
