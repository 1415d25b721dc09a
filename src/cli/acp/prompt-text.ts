import type { ContentBlock } from '@agentclientprotocol/sdk/unstable'

/** The prompt of an editor as text: what was typed, and the files it refers to. */
export function promptText(blocks: readonly ContentBlock[]): string {
  return blocks
    .map((block): string => {
      switch (block.type) {
        case 'text':
          return block.text
        case 'resource_link':
          return nameOf(block.uri)
        case 'resource':
          return 'text' in block.resource
            ? `${nameOf(block.resource.uri)}:\n\n${fenced(block.resource.text)}`
            : nameOf(block.resource.uri)
        case 'image':
        case 'audio':
          return `[${block.type}: not passed on]`
        default:
          return ''
      }
    })
    .filter((part) => part !== '')
    .join('\n')
    .trim()
}

const nameOf = (uri: string): string =>
  URL.canParse(uri) && uri.startsWith('file:') ? decodeURIComponent(new URL(uri).pathname) : uri

/** A fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
