import { readDetachKeys, usualDetachKeys, type DetachKeys } from './detach-keys.ts'

type Given = { detach: boolean; 'detach-keys': string | undefined }

export const howToDetach = (flags: Given): { detach: boolean; detachKeys: DetachKeys } => ({
  detach: flags.detach,
  detachKeys: readDetachKeys(flags['detach-keys'] ?? usualDetachKeys),
})
