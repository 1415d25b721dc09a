import { readFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import * as z from 'zod'
import { parseJson } from '../../../lib/parse-json.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'

const packageName = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/

const Target: z.ZodType<unknown> = z.union([z.string(), z.record(z.string(), z.unknown())])
const Manifest = z.object({ main: z.string().optional(), exports: Target.optional() })

/** The file to load of a package that the operator installed into this directory. */
export function findPackage(directory: string, name: string): Result<string> {
  if (!packageName.test(name))
    return fail({ kind: 'invalid', code: 'invalid_adapter', message: `${name} is not the name of an npm package.` })
  const folder = join(directory, 'node_modules', name)
  let text: string
  try {
    text = readFileSync(join(folder, 'package.json'), 'utf8')
  } catch {
    return fail({
      kind: 'unavailable',
      code: 'adapter_not_installed',
      message: `The chat adapter ${name} is not installed.`,
      hint: `npm install --prefix ${directory} ${name} chat`,
    })
  }
  const manifest = parseJson(text, Manifest)
  const entry = manifest.ok ? entryOf(manifest.value) : null
  const file = entry === null ? null : resolve(folder, entry)
  if (file === null || !file.startsWith(folder + sep))
    return fail({
      kind: 'unavailable',
      code: 'adapter_unusable',
      message: `The package ${name} has no file to load.`,
      hint: 'Install it again, or use another adapter.',
    })
  return ok(file)
}

/** Adapters are ES modules, and some offer nothing else. */
function entryOf({ exports, main }: z.infer<typeof Manifest>): string | null {
  if (exports === undefined) return main ?? 'index.js'
  const root = isConditions(exports) && '.' in exports ? exports['.'] : exports
  return matching(root)
}

const isConditions = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function matching(target: unknown): string | null {
  if (typeof target === 'string') return target
  if (!isConditions(target)) return null
  for (const [condition, inner] of Object.entries(target))
    if (['node', 'import', 'module-sync', 'default'].includes(condition)) {
      const found = matching(inner)
      if (found !== null) return found
    }
  return null
}
