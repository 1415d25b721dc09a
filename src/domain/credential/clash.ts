import { providerNameOf, providerVariable } from '../../lib/container/provider-name.ts'
import { fail, type Failed } from '../../lib/result.ts'

type Named = { readonly host: string; readonly name: string }

/** Inside, each credential is reached by a variable made from its name, so one name can't lead to two keys. */
export function clash(held: readonly Named[], wanted: Named): Failed | null {
  const variable = (one: Named) => providerVariable(providerNameOf(one.name))
  const other = held.find(
    (one) => variable(one) === variable(wanted) && !(one.name === wanted.name && one.host === wanted.host),
  )
  if (!other) return null
  return fail({
    kind: 'conflict',
    code: 'credential_name_taken',
    message: `The agent group already has the credential ${other.name} for ${other.host}. It is reached by ${variable(wanted)} too.`,
    hint: 'Use another name, or revoke that one first.',
  })
}
