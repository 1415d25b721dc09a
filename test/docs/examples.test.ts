import { execFile, spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanEnv, startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root })]

type Example = { page: string; line: number; text: string }

/** The fenced blocks of one language, with their lines. */
function blocks(language: string): Example[] {
  return pages.flatMap((page) => {
    const source = readFileSync(join(root, page), 'utf8')
    return [...source.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map((match) => ({
      page,
      line: source.slice(0, match.index).split('\n').length,
      text: match[1] ?? '',
    }))
  })
}

const commandsIn = ({ page, line, text }: Example) =>
  [...text.matchAll(/^ *\$ (?:\.\/)?signalbox (.+)$/gm)].map((match) => ({ page, line, text: match[1] ?? '' }))

/** Indented examples, as in docs/cli.md, with the first line of their output. */
const indented = pages.flatMap((page) => {
  const source = readFileSync(join(root, page), 'utf8')
  return [...source.matchAll(/^ {4,6}(?:\$ )?signalbox (.+)\n(?: {4}(.*))?/gm)].map((match) => ({
    page,
    line: source.slice(0, match.index).split('\n').length,
    text: match[1] ?? '',
    printed: match[2] ?? '',
  }))
})

/** The example keeps its address across a restart, so the server must too. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })

describe('examples in the docs', () => {
  let server: Server
  beforeAll(async () => {
    server = await startServer({ env: { AGENT_WORKSPACE_ROOT: root, SIGNALBOX_HTTP_PORT: String(await freePort()) } })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const shell = (command: string): Promise<{ code: number; output: string }> =>
    new Promise((resolve) => {
      // A separate home: some examples write the settings of other programs.
      const env = cleanEnv({ SIGNALBOX_HOME: server.home, HOME: server.home, PATH: `${root}:${process.env['PATH']}` })
      execFile('sh', ['-c', `timeout 10 ${command}`], { env, cwd: server.home }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr })
      }).stdin?.end()
    })

  it.each(
    blocks('console')
      .flatMap(commandsIn)
      .filter(({ text }) => !text.includes('--follow')),
  )('$page: signalbox $text works', async ({ text }) => {
    const { code, output } = await shell(`signalbox ${text}`)
    expect({ code, output }).toMatchObject({ code: 0 })
  })

  it.each(indented.filter(({ text }) => !/--follow|^serve|^asks show 01a1$|[|>]/.test(text)))(
    '$page line $line: signalbox $text is a command with these flags',
    async ({ text, printed }) => {
      const { code, output } = await shell(`signalbox ${text}`)
      // Ids and names in examples are made up; only the spelling of the command must be right.
      const saysWrongUsage = /Unknown command|has no flag/.test(printed)
      expect({ wrongUsage: code === 2, noServer: code === 3, output }).toMatchObject({
        wrongUsage: saysWrongUsage,
        noServer: false,
      })
    },
  )

  const inScripts = blocks('sh').flatMap(({ page, line, text }) =>
    [...text.matchAll(/^(?:\.\/)?signalbox ((?!start ).+)$/gm)].map((match) => ({ page, line, text: match[1] ?? '' })),
  )
  it.each(inScripts)('$page line $line: signalbox $text is in the program’s own spelling', async ({ text }) => {
    writeFileSync(join(server.home, 'new.json'), '{}')
    // A machine with systemd would really get a service.
    const { code, output } = await shell(`signalbox ${text}${text.startsWith('service install') ? ' --print' : ''}`)
    expect({ wrongUsage: code === 2, noServer: code === 3, output }).toMatchObject({
      wrongUsage: false,
      noServer: false,
    })
  })

  it.each(blocks('toml'))('$page line $line: the configuration is valid', async ({ text }) => {
    const file = join(server.home, 'example.toml')
    writeFileSync(file, text)
    const { code, output } = await shell(`signalbox config check --config ${file}`)
    expect({ code, output }).toMatchObject({ code: 0 })
  })

  it.each(blocks('json'))('$page line $line: the JSON is valid', ({ text }) => {
    expect(() => JSON.parse(text)).not.toThrow()
  })

  it('the README’s agent asks, waits, and continues when answered', async () => {
    // Another example may have registered it before.
    await server.cli('repos', 'add', root)
    const { stdout: token } = await server.cli('tokens', 'create', '--name', 'demo', '--scope', 'agent')
    const env = cleanEnv({ SIGNALBOX_TOKEN: token.trim(), SIGNALBOX_URL: server.address })
    const agent = spawn(process.execPath, [join(root, 'examples/agent.mjs'), 'rm -rf build'], { env })
    let printed = ''
    agent.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    agent.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    const ended = new Promise((resolve) => agent.on('close', resolve))
    await until(() => printed.includes('Asked.'))
    const id = /answer (\S+) approve/.exec(printed)?.[1] ?? ''
    await server.kill()
    await server.restart()
    expect((await server.cli('asks')).stdout).toContain('Run rm -rf build')
    expect((await server.cli('answer', id, 'approve')).code).toBe(0)
    expect(await ended).toBe(0)
    expect(printed).toContain('would run rm -rf build')
  })
})

/** The headings of a page, as links name them. */
const anchorsOf = (text: string) =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map((match) =>
      (match[1] ?? '')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

describe('links in the docs', () => {
  const documents = [...pages, 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'AGENTS.md', 'GLOSSARY.md', 'CHANGELOG.md']
  it.each(documents)('%s links only to files and headings that exist', (page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const broken = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].filter(([, path = '', anchor]) => {
      const target = path === '' ? join(root, page) : join(root, dirname(page), path)
      if (!existsSync(target)) return true
      return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).has(anchor)
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })
})
