import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentFolder, ensureAgents } from '../../scripts/lib/agents.mjs'
import { startModel } from '../support/agents/model/model.ts'
import { scriptOf } from '../support/agents/model/script.ts'
import { processesAtHome } from '../support/agents/processes.ts'
import { openBrowser } from '../support/browser.ts'
import { sizes, type Size } from '../support/dashboard.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const key = 'sk-scripted-4711'
const pictures = process.env['SIGNALBOX_PICTURES']

describe('a real agent, set up in the page', () => {
  it.for<Size>(['desktop', 'phone'])(
    'B6 on a %s: Codex is installed, signed in and at work without leaving the page',
    async (size, context) => {
      await ensureAgents(['codex'])
      await using stack = new AsyncDisposableStack()
      const folder = mkdtempSync(join(tmpdir(), 'sbo-'))
      stack.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
      const [home, prefix] = [join(folder, 'home'), join(folder, 'npm')]
      const codexHome = join(home, '.codex')
      await mkdir(codexHome, { recursive: true })
      await mkdir(join(home, 'tmp'))
      const model = stack.use(await startModel())
      // OpenAI's own provider, which needs a key, at the address of the scripted model.
      await writeFile(
        join(codexHome, 'config.toml'),
        `model = "gpt-5.5"\nopenai_base_url = "${model.url}/v1"\napproval_policy = "on-request"\n` +
          'sandbox_mode = "read-only"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n',
      )
      const path = [join(prefix, 'bin'), dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter)
      const source = join(agentFolder('codex'), 'node_modules', '@zed-industries', 'codex-acp')
      const config = `workspace_root = ${JSON.stringify(folder)}
[acp]
startup_timeout_seconds = 120
[agents.codex]
preset = "codex"
command = "codex-acp"
# From a package on this machine: the test needs no network.
install_command = "npm install -g --offline --no-audit --no-fund --omit=optional --prefix ${prefix} ${source}"
env = { PATH = ${JSON.stringify(path)}, HOME = ${JSON.stringify(home)}, CODEX_HOME = ${JSON.stringify(codexHome)}, TMPDIR = ${JSON.stringify(join(home, 'tmp'))}, NO_BROWSER = "1" }
read_paths = [${[prefix, agentFolder('codex'), dirname(process.execPath)].map((one) => JSON.stringify(one)).join(', ')}]
open_paths = [${JSON.stringify(join(home, 'tmp'))}]
local_ports = [${new URL(model.url).port}]
`
      const server = stack.use(await startServer({ config, env: { PATH: path } }))
      stack.defer(async () => {
        await server.api().post('/api/stop', { agents: 'end' })
        await until(() => processesAtHome(home).length === 0, { what: 'the end of every process of Codex' })
      })
      await using browser = await openBrowser(context)
      const page = await browser.newPage({ viewport: sizes[size] })
      const { url } = await server.api().post<{ url: string }>('/api/login-links', {})
      await page.goto(url)
      await page.waitForURL(`${server.address}/`)
      const look = async (name: string) => {
        if (pictures) await page.screenshot({ path: join(pictures, `onboarding-${size}-${name}.png`), fullPage: true })
      }
      await page.goto(`${server.address}/settings/agents`)
      // Gone if the page is left for another document.
      await page.evaluate('globalThis.stayed = true')

      await page.getByRole('link', { name: 'Set up Codex' }).click()
      await page.getByText('not installed').first().waitFor()
      await look('1-missing')
      await page.getByRole('button', { name: 'Install', exact: true }).click()
      await page.getByText('not signed in').first().waitFor({ timeout: 120_000 })
      await look('2-installed')
      const signIn = page.getByRole('region', { name: 'Sign in' })
      await signIn.getByLabel('CODEX_API_KEY').fill(key)
      await signIn.getByRole('button', { name: 'Sign in: Use CODEX_API_KEY' }).click()
      await page.getByText('ready', { exact: true }).first().waitFor({ timeout: 120_000 })
      await look('3-signed-in')
      expect(JSON.parse(await readFile(join(codexHome, 'auth.json'), 'utf8'))).toMatchObject({ OPENAI_API_KEY: key })

      await page.getByRole('button', { name: 'Try Codex' }).click()
      await page.getByText('This is the scripted model.').first().waitFor({ timeout: 120_000 })
      await look('4-tried')
      const { sessions } = await server
        .api()
        .get<{ sessions: { id: string; agent: string; workspaceRoot: string }[] }>('/api/sessions')
      const [session] = sessions
      expect(session).toMatchObject({ agent: 'codex' })
      const file = join(session!.workspaceRoot, `at-work-${size}.txt`)
      const prompt = scriptOf({ write: { path: file, content: 'All aboard\n' } }, { say: 'The file is there.' })
      await page.getByRole('textbox', { name: /message|prompt/i }).fill(prompt)
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page
        .getByRole('button', { name: /^Allow/ })
        .first()
        .click({ timeout: 120_000 })
      await page.getByText('The file is there.', { exact: true }).last().waitFor({ timeout: 120_000 })
      expect(await readFile(file, 'utf8')).toBe('All aboard\n')
      await look('5-at-work')
      expect(await page.evaluate('globalThis.stayed')).toBe(true)
    },
  )
})
