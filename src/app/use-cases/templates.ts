import { chooseTemplate, fillTemplate, unfilled, type TemplateValues } from '../../domain/template/about.ts'
import type { Template } from '../../domain/template/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { RepoId } from '../../domain/workspace/id.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { App } from '../app.ts'
import type { Requester } from './requester.ts'

/** The workspace whose templates are wanted too. */
export type TemplatePlace = {
  readonly repoId?: RepoId | undefined
  readonly workspaceRoot?: string | undefined
  readonly sessionId?: SessionId | undefined
}
export type OfferedTemplates = {
  readonly templates: Template[]
  readonly problems: { readonly path: string; readonly why: string }[]
}

/** The templates of prompts that a person can use. */
export type Templates = {
  list(place: TemplatePlace, by: Requester): Promise<Result<OfferedTemplates>>
  fill(
    input: TemplatePlace & { readonly template: string; readonly values: TemplateValues },
    by: Requester,
  ): Promise<Result<{ text: string; template: Template }>>
}

export function createTemplates(deps: {
  app: Pick<App, 'read'>
  /** Checks that the directory is still the one that was registered or trusted. */
  locateAgain(path: string): Promise<Result<void>>
  readFiles(root: string): Promise<OfferedTemplates>
}): Templates {
  const { read } = deps.app

  /** The directory, if the caller may use it. */
  async function rootOf({ repoId, workspaceRoot, sessionId }: TemplatePlace, by: Requester): Promise<Result<string>> {
    const { standing } = by
    if (repoId !== undefined) {
      const repo = await read.repo(standing, repoId)
      return repo.ok ? ok(repo.value.path) : repo
    }
    if (sessionId !== undefined) {
      const session = await read.session(standing, sessionId)
      if (!session.ok) return session
      // A worktree is the agent's; the repo is what people look after.
      const state = await read.agentState(standing, sessionId)
      return ok((state.ok ? state.value.worktree?.repo : undefined) ?? session.value.workspaceRoot)
    }
    const root = (workspaceRoot ?? '').replace(/(?<=.)\/+$/, '')
    const repos = await read.repos(standing)
    if (repos.ok && repos.value.some(({ path }) => path === root)) return ok(root)
    const allowed = await read.mayRunPrograms(standing)
    return allowed.ok ? ok(root) : allowed
  }

  async function ofWorkspace(place: TemplatePlace, by: Requester): Promise<Result<OfferedTemplates>> {
    const given = Object.values(place).filter((one) => one !== undefined).length
    if (given === 0) return ok({ templates: [], problems: [] })
    if (given > 1) return fail(onePlace)
    const root = await rootOf(place, by)
    if (!root.ok) return root
    const path = root.value
    // Agents may have written them anywhere else.
    if ((await read.trust(path)) === null) return ok({ templates: [], problems: [{ path, why: untrusted }] })
    const located = await deps.locateAgain(path)
    if (!located.ok) return ok({ templates: [], problems: [{ path, why: located.fault.message }] })
    return ok(await deps.readFiles(path))
  }

  async function list(place: TemplatePlace, by: Requester): Promise<Result<OfferedTemplates>> {
    const stored = await read.templates(by.standing)
    if (!stored.ok) return stored
    const files = await ofWorkspace(place, by)
    if (!files.ok) return files
    const { templates, problems } = files.value
    return ok({ templates: [...stored.value, ...templates], problems })
  }

  return {
    list,
    async fill({ template: wanted, values, ...place }, by) {
      const offered = await list(place, by)
      if (!offered.ok) return offered
      const chosen = chooseTemplate(offered.value.templates, wanted)
      if (!chosen.ok) return chosen
      const template = chosen.value
      const filled = fillTemplate(template.text, values)
      if (filled.ok) return ok({ text: filled.value, template })
      const { fault } = filled
      if (fault.code !== 'missing_fields') return filled
      // Whole fields, so that a client can ask for them.
      return fail({ ...fault, details: { template: template.name, fields: unfilled(template.fields, values) } })
    },
  }
}

const untrusted = 'The workspace is not trusted, so its templates are not offered.'

const onePlace = {
  kind: 'invalid' as const,
  code: 'one_workspace',
  message: 'Give one of repoId, workspaceRoot and sessionId.',
}
