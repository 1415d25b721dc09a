import { filesFolder, savedName } from '../domain/chat/saved-file-name.ts'
import type { QueueItem } from '../domain/queue/schema.ts'

/** Where a file of a prompt is saved, below the workspace. The same each time: made again after a crash, it is the same file. */
export const attachmentPath = ({ id }: Pick<QueueItem, 'id'>, index: number, name: string): string =>
  // Ids begin with the time; their end tells them apart.
  `${filesFolder}/${id.slice(-12)}/${savedName(index, name)}`
