import { isIP, isIPv4 } from 'node:net'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { matching, text } from './value.ts'
import { quoted } from './describe-value.ts'

const longestPath = 4096

export const absolutePath = text('absolute path', (value) => {
  if (isAbsolute(value)) return value
  const full = /^~[/\\]/.test(value) ? join(homedir(), value.slice(2)) : resolve(value)
  return { wrong: 'must be an absolute path', hint: `perhaps ${quoted(full, longestPath)}` }
})

export const channelId = matching(
  'Slack channel id',
  /^[CG][A-Za-z0-9]+$/,
  "must be a Slack channel id: C or G, then letters and digits (not the channel's name)",
)

export const token = (prefix: string): ReturnType<typeof text> =>
  text(`Slack token, ${prefix}…`, (value) =>
    value.startsWith(prefix) && /^[\w-]+$/.test(value) && value.length > prefix.length
      ? value
      : { wrong: `must be a Slack token that starts with ${prefix}`, hint: wrongToken(prefix, value) },
  )

function wrongToken(prefix: string, value: string): string {
  if (prefix === 'xapp-' && value.startsWith('xoxb-')) return 'this is a bot token: it belongs in bot_token'
  if (prefix === 'xoxb-' && value.startsWith('xapp-')) return 'this is an app-level token: it belongs in app_token'
  return prefix === 'xapp-'
    ? 'the Slack app shows it under Basic Information, App-Level Tokens'
    : 'the Slack app shows it under OAuth & Permissions'
}

const identity = /^(?:slack|tg|discord|phone|email|local):\S+$/

export const userId = text('identity such as slack:U…', (value) => {
  if (/^[UW][A-Z0-9]+$/.test(value)) return `slack:${value}`
  if (identity.test(value)) return value
  const wrong = 'must be an identity: slack:U…, tg:…, discord:…, phone:…, email:… or local:…'
  return value.includes('@') && !value.includes(':')
    ? { wrong, hint: `did you mean ${quoted(`email:${value}`)}?` }
    : { wrong }
})

export const ipcName = text('letters, digits, ".", "-" and "_"', (value) => {
  if (!/^[A-Za-z0-9._-]+$/.test(value)) return { wrong: 'must have only letters, digits, ".", "-" and "_"' }
  if (/^\.+$/.test(value)) return { wrong: 'must have a letter or a digit' }
  if (/^(keeper|gate|relay-.*)$/.test(value)) return { wrong: 'must not be the name of another socket of Signalbox' }
  return value.length > 64 ? { wrong: 'must have at most 64 characters' } : value
})

const hostName = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\.?$/

export const host = text('host name or IP address', (value) => {
  const plain = value.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (isIP(plain) !== 0 || (hostName.test(plain) && !/^[\d.]+$/.test(plain))) return plain
  const hint = value.includes('://') ? 'leave out the scheme' : /:\d+$/.test(value) ? 'leave out the port' : undefined
  return { wrong: 'must be a host name or an IP address', ...(hint === undefined ? {} : { hint }) }
})

export const proxy = text('IP address, network such as 10.0.0.0/8, or "loopback"', (value) => {
  if (value === 'loopback' || isIP(value) !== 0) return value
  const [address = '', bits = '', ...more] = value.split('/')
  const width = isIPv4(address) ? 32 : 128
  if (more.length === 0 && isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= width) return value
  return { wrong: 'must be an IP address, a network such as 10.0.0.0/8, or "loopback"' }
})

export const origin = text('http or https address without a path', (value) => {
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return { wrong: 'must be an address that starts with https:// or http://' }
  }
  const extra =
    url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== ''
  return extra ? { wrong: 'must have nothing after host and port', hint: `write ${url.origin}` } : url.origin
})

export const pushSubject = text('mailto: or https: address', (value) => {
  const url = URL.parse(value)
  if (url?.protocol === 'mailto:' && /^[^@\s]+@[^@\s]+$/.test(url.pathname)) return value
  if (url?.protocol === 'https:') return value
  const hint = value.includes('@') && !value.includes(':') ? `did you mean ${quoted(`mailto:${value}`)}?` : undefined
  return { wrong: 'must be an address that starts with mailto: or https://', ...(hint === undefined ? {} : { hint }) }
})

export const databaseUrl = text('postgres://user:password@host/name', (value) => {
  const wrong = 'must be an address such as postgres://user:password@host:5432/name'
  if (!/^postgres(?:ql)?:\/\//.test(value)) return { wrong, hint: 'for SQLite, leave it out' }
  return URL.canParse(value) ? value : { wrong, hint: 'write special characters of the password as %XX' }
})

export const expression = text('regular expression', (value) => {
  try {
    return new RegExp(value, 'u').source === '' ? { wrong: 'must not be empty' } : value
  } catch (error) {
    return { wrong: `is not a regular expression: ${error instanceof Error ? error.message : String(error)}` }
  }
})
