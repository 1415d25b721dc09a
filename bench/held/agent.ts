import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export type Door = {
  readonly url: string
  readonly token: string
  /** Null: the client's default. */ readonly revision: string | null
}

/** A call that is held: the ask it waits for, and its result. */
export type HeldCall = { readonly askId: string; readonly result: Promise<void> }

/** One agent with the official client. */
export type Agent = AsyncDisposable & {
  echo(): Promise<void>
  /** Settles when the server reports that it holds the call. */
  hold(): Promise<HeldCall>
}

const timeout = 50_000
const text = 'The tests pass now. Shall I go on with the next part?'

export async function connectAgent({ url, token, revision }: Door): Promise<Agent> {
  const client = new Client(
    { name: 'bench', version: '1' },
    revision === null ? {} : { versionNegotiation: { mode: { pin: revision } } },
  )
  const headers = { authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return {
    async echo() {
      const { content } = await client.callTool({ name: 'echo', arguments: { text } }, { timeout })
      const [said] = content
      if (said?.type !== 'text' || said.text !== text) throw new Error(`no echo: ${JSON.stringify(content)}`)
    },
    async hold() {
      const held = Promise.withResolvers<string>()
      const call = client.callTool(
        { name: 'forward_prompt', arguments: { prompt_text: text } },
        {
          timeout,
          resetTimeoutOnProgress: true,
          onprogress: ({ message }) => held.resolve(/\S+$/.exec(message ?? '')?.[0] ?? ''),
        },
      )
      const result = call.then(({ structuredContent }) => {
        const told = JSON.stringify(structuredContent)
        if (told.includes('"decision":"continue"')) return
        const refused = new Error(`not answered: ${told}`)
        held.reject(refused)
        throw refused
      })
      result.catch((error: unknown) => held.reject(error))
      return { askId: await held.promise, result }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
