/** Lets a Node that was started with `--inspect` on this port collect all its garbage, so that what is left is what it holds. */
export async function collectGarbage(port: number): Promise<void> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string
  }[]
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '')
  const answered = Promise.withResolvers<void>()
  socket.addEventListener('open', () => socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' })))
  socket.addEventListener('message', () => answered.resolve())
  socket.addEventListener('error', () => answered.reject(new Error('the inspector does not answer')))
  await answered.promise
  socket.close()
}
