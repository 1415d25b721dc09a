import { readFile } from 'node:fs/promises'
import type { Client } from '../../client/client.ts'
import { ApiError } from '../../client/client.ts'
import type { ChatPlatform } from '../../client/contract/chat-instances.ts'
import type { ChatInstance } from '../../domain/chat-instance/schema.ts'
import { isJsonRecord, jsonOrNull } from '../../lib/parse-json.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, Failure, wrongUsage } from '../failure.ts'
import { findInstance } from '../find-by-id.ts'
import { printResult } from '../print-result.ts'
import { programName } from '../program-name.ts'
import { readAll } from '../read-all.ts'
import type { addInstanceFlags, updateInstanceFlags } from '../table/chats.ts'
import { askSecretly } from '../terminal/ask-secretly.ts'
import { sayInstance, selfText } from './chat-instances.ts'
import { waitForInstance } from './wait-for-instance.ts'

type Credentials = Readonly<Record<string, string>>
type Field = ChatPlatform['fields'][number]

export const addInstance: Handler<typeof addInstanceFlags> = async ({ args: [wanted = ''], flags }, context) => {
  const { client } = await context.api()
  const settings = parseSettings(flags.setting)
  const platform = await platformNamed(client, wanted, settings)
  const atTerminal = context.keyboard !== null && !context.json
  const given = await givenCredentials(platform, flags.credentials, context.env)
  if (given === null && atTerminal) await explain(client, platform, context)
  const add = (credentials: Credentials) =>
    client.addChatInstance({
      body: {
        platform: platform.name,
        credentials,
        settings,
        check: !flags['no-check'],
        ...(flags.name !== undefined && { name: flags.name }),
        ...(flags.title !== undefined && { title: flags.title }),
      },
    })
  if (given === null && !atTerminal) throw missingCredentials(platform)
  const added = given === null ? await askUntilRight(platform, context, add) : await add(given)
  const { instance, self, warnings } = added
  if (!context.json) {
    if (self) context.out.note(`The credentials work: ${selfText(self)}.`)
    for (const warning of warnings) context.out.note(`Warning: ${warning}`)
  }
  if (!context.json && !flags['no-wait']) context.out.note('Connecting …')
  const connected = flags['no-wait'] ? instance : await waitForInstance(client, instance.id, context)
  printResult(context, { ...added, instance: connected }, () => stateText(platform, connected))
  if (!context.json && connected.state === 'connected') await sayNext(client, platform, context)
  return connected.state === 'refused' ? exit.failed : undefined
}

export const updateInstance: Handler<typeof updateInstanceFlags> = async ({ args: [name = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findInstance(client, name)
  const instance = await client.getChatInstance({ params: { id } })
  const settings = { ...instance.settings, ...parseSettings(flags.setting) }
  const body = {
    ...(flags.title !== undefined && { title: flags.title }),
    ...(flags.setting.length > 0 && { settings }),
  }
  const keepsCredentials = Object.keys(body).length > 0 && flags.credentials === undefined
  if (keepsCredentials)
    return sayInstance(context, (await client.updateChatInstance({ params: { id }, body })).instance)
  const platform = await platformNamed(client, instance.platform, settings)
  const update = (credentials: Credentials) =>
    client.updateChatInstance({ params: { id }, body: { ...body, credentials, check: !flags['no-check'] } })
  const given = await givenCredentials(platform, flags.credentials, context.env)
  if (given === null && (context.keyboard === null || context.json)) throw missingCredentials(platform)
  const updated = given === null ? await askUntilRight(platform, context, update) : await update(given)
  if (!context.json) for (const warning of updated.warnings) context.out.note(`Warning: ${warning}`)
  sayInstance(context, updated.instance)
}

type Settings = ChatInstance['settings']

function parseSettings(given: readonly string[]): Settings {
  return Object.fromEntries(
    given.map((one) => {
      const at = one.indexOf('=')
      if (at <= 0) throw wrongUsage(`invalid setting ${JSON.stringify(one)}`, 'Use --setting NAME=VALUE.')
      return [one.slice(0, at), one.slice(at + 1)]
    }),
  )
}

async function platformNamed(client: Client, wanted: string, settings: Settings): Promise<ChatPlatform> {
  const platforms = (await client.listChatPlatforms({})).platforms
  const name = wanted.toLowerCase()
  const platform = platforms.find((one) => one.name === name)
  if (platform) return platform
  if (typeof settings['package'] === 'string') return bridged(name, settings['package'])
  throw wrongUsage(
    `Unknown chat platform ${JSON.stringify(wanted)}.`,
    `Use one of: ${platforms.map((one) => one.name).join(', ')}. For an adapter of the Chat SDK: --setting package=NAME`,
  )
}

/** Its only credential is the configuration of the adapter, so a file holds that and nothing else. */
const isBridged = ({ fields: [first, ...more] }: ChatPlatform): boolean => first?.name === 'config' && more.length === 0

/** All adapters of the Chat SDK take the same one field; the server checks it. */
const bridged = (name: string, adapter: string): ChatPlatform => ({
  name,
  title: name,
  delivery: 'at_least_once',
  hasManifest: false,
  steps: [],
  fields: [
    {
      name: 'config',
      label: 'Configuration of the adapter',
      secret: true,
      required: true,
      hint: `A JSON object, as in the documentation of ${adapter}`,
    },
  ],
})

/** `SLACK_BOT_TOKEN` */
const variableOf = (platform: ChatPlatform, field: Field): string =>
  `${platform.name}_${field.name}`.replaceAll(/[^A-Za-z0-9]+/g, '_').toUpperCase()

/** From a file, standard input or the environment; null if there are none. */
async function givenCredentials(
  platform: ChatPlatform,
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Credentials | null> {
  if (file !== undefined) return parseCredentials(await readCredentials(file), platform)
  const found = platform.fields.flatMap((field) => {
    const value = env[variableOf(platform, field)]
    return value === undefined || value === '' ? [] : [[field.name, value] as const]
  })
  return found.length === 0 ? null : Object.fromEntries(found)
}

async function readCredentials(file: string): Promise<string> {
  if (file === '-') return readAll(process.stdin)
  try {
    return await readFile(file, 'utf8')
  } catch {
    throw wrongUsage(`${file} can't be read.`)
  }
}

/** JSON, or `name=value` lines; names as the fields or as the environment variables. Never says what it read. */
export function parseCredentials(text: string, platform: ChatPlatform): Credentials {
  if (isBridged(platform)) return { config: text.trim() }
  const pairs = text.trimStart().startsWith('{') ? jsonPairs(text) : linePairs(text)
  return Object.fromEntries(
    pairs.map(([name, value]) => {
      const field = platform.fields.find((one) => one.name === name || variableOf(platform, one) === name)
      if (field) return [field.name, value]
      throw wrongUsage(
        `${platform.title} has no credential named ${JSON.stringify(name.slice(0, 40))}.`,
        `Use: ${platform.fields.map((one) => one.name).join(', ')}`,
      )
    }),
  )
}

const isTexts = (value: unknown): value is Record<string, string> =>
  isJsonRecord(value) && Object.values(value).every((one) => typeof one === 'string')

function jsonPairs(text: string): [string, string][] {
  const read = jsonOrNull(text, isTexts)
  if (read) return Object.entries(read)
  throw wrongUsage('The credentials are not a JSON object of strings.')
}

const linePairs = (text: string): [string, string][] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line, index) => {
      const at = line.indexOf('=')
      if (at <= 0) throw wrongUsage(`Line ${index + 1} of the credentials is not NAME=VALUE.`)
      const value = line.slice(at + 1).trim()
      return [
        line
          .slice(0, at)
          .replace(/^export\s+/, '')
          .trim(),
        value.replace(/^(["'])(.*)\1$/s, '$2'),
      ]
    })

const missingCredentials = (platform: ChatPlatform): Failure => {
  const variables = platform.fields.map(
    (field) => `${variableOf(platform, field)}${field.required ? '' : ' (optional)'}`,
  )
  return wrongUsage(
    'Credentials are missing, and there is no terminal to ask on.',
    `Use --credentials FILE, or set environment variables: ${variables.join(', ')}`,
  )
}

async function explain(client: Client, platform: ChatPlatform, { out }: Context): Promise<void> {
  // Before the steps: it is long, and would scroll them off the screen.
  if (platform.hasManifest) {
    const { manifest } = await client.getChatManifest({ params: { name: platform.name } })
    out.print(`${manifest}\n`)
  }
  const { steps } = platform
  if (steps.length > 0)
    out.note([`To connect ${platform.title}:`, ...steps.map((step, n) => `  ${n + 1}. ${step}`), ''].join('\n'))
  out.note('Then paste the credentials here. They are not shown.\n')
}

const mostTries = 3

/** Asks again if the platform refuses what was typed. */
async function askUntilRight<T>(
  platform: ChatPlatform,
  context: Context,
  use: (credentials: Credentials) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const credentials = await askCredentials(platform, context)
    try {
      return await use(credentials)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400 || attempt === mostTries) throw error
      context.out.note([error.message, error.hint, missingText(error)].filter(Boolean).join('\n'))
      context.out.note('Try again, or press Ctrl-C.')
    }
  }
}

function missingText({ details }: ApiError): string {
  const missing: unknown = details?.['missing']
  return Array.isArray(missing) && missing.length > 0 ? `Missing: ${missing.join(', ')}` : ''
}

async function askCredentials({ fields }: ChatPlatform, context: Context): Promise<Credentials> {
  const answers: Record<string, string> = {}
  for (const field of fields) {
    context.out.note(field.hint)
    const question = `${field.label}${field.required ? '' : ' (Enter to skip)'}: `
    const answer = field.secret ? await askSecretly(question) : await askOpenly(question, context)
    if (answer === null) throw givenUp()
    if (answer.trim() !== '') answers[field.name] = answer.trim()
  }
  return answers
}

async function askOpenly(question: string, context: Context): Promise<string | null> {
  const asked = await context.keyboard?.ask(question, { signal: context.interrupted() })
  return asked?.line ?? null
}

const givenUp = (): Failure => new Failure({ exit: exit.interrupted, code: 'given_up', message: 'Nothing was added.' })

function stateText({ title }: ChatPlatform, { name, state, stateError }: ChatInstance): string {
  if (state === 'connected') return `${title} is connected as ${name}.`
  if (state === 'refused') return `${title} refused the connection: ${stateError ?? 'no reason given'}`
  return `${title} is added as ${name}, but not connected yet${stateError === null ? '' : `: ${stateError}`}. See: ${programName()} chat show ${name}`
}

async function sayNext(client: Client, platform: ChatPlatform, { out }: Context): Promise<void> {
  const groups = (await client.listAgentGroups({})).agentGroups
  const first =
    groups.length === 0 ? [`Create an agent group: ${programName()} groups create NAME --agent AGENT --repo REPO`] : []
  const next = [
    ...first,
    `Link your own account in ${platform.title}: ${programName()} identities code`,
    `Add Signalbox to a chat in ${platform.title}, and mention it there.`,
    `Approve the ask that lets the agent group listen there: ${programName()} asks`,
  ]
  out.note(['', 'Next:', ...next.map((step, n) => `  ${n + 1}. ${step}`)].join('\n'))
}
