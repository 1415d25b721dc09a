import { ok, type Result } from '../../lib/result.ts'

/** A list as every endpoint returns it: under its name, so that more can be added beside it. */
export async function listed<K extends string, T>(
  name: K,
  found: Promise<Result<T[]>>,
): Promise<Result<{ readonly [N in K]: T[] }>> {
  const result = await found
  return result.ok ? ok({ [name]: result.value } as { [N in K]: T[] }) : result
}
