import { ProtocolError, ProtocolErrorCode, type ReadResourceResult, type Resource } from '@modelcontextprotocol/server'
import type { App } from '../../app/app.ts'
import type { Message } from '../../domain/message/schema.ts'
import { systemViewer, standingOf, type Link } from './link.ts'

const json = 'application/json'
const resources: readonly Resource[] = [
  { uri: 'signalbox://session', name: 'session', title: 'Your session and its state', mimeType: json },
  { uri: 'signalbox://inbox', name: 'inbox', title: 'Your open asks', mimeType: json },
  { uri: 'signalbox://messages', name: 'messages', title: 'The last messages of your session', mimeType: json },
]
const lastMessages = 50

export function createResources(app: App) {
  async function contentOf(uri: string, link: Link): Promise<unknown> {
    const { sessionId } = link
    switch (uri) {
      case 'signalbox://session': {
        const session = await app.read.session(systemViewer, sessionId)
        return session.ok ? session.value : null
      }
      case 'signalbox://inbox': {
        const asks = await app.read.asks(standingOf(link), { sessionId, statuses: ['open'], limit: 100 })
        return asks.ok ? asks.value : []
      }
      case 'signalbox://messages': {
        const messages = await app.read.messages(standingOf(link), sessionId, undefined)
        return messages.ok ? messages.value.slice(-lastMessages).map(shown) : []
      }
      default:
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No such resource: ${uri}.`)
    }
  }
  return {
    list: (): Resource[] => [...resources],
    async read(uri: string, link: Link): Promise<ReadResourceResult> {
      return { contents: [{ uri, mimeType: json, text: JSON.stringify(await contentOf(uri, link)) }] }
    },
  }
}

const shown = ({ role, content, timestamp }: Message) => ({ role, content, timestamp })
