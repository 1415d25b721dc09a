import type { Packs, PackWriter } from './packs.ts'
import type { Sink } from './sink.ts'

/** Contents in files of our own, for workspaces without Git. */
export const createPackSink = (packs: Packs, writer: PackWriter): Sink => ({
  isKept: ({ hash }) => packs.has(hash),
  put(hash, bytes) {
    writer.put(hash, bytes)
    return Promise.resolve('')
  },
  begin() {
    const content = writer.begin()
    return Promise.resolve({
      push: (piece) => Promise.resolve(content.push(piece)),
      end(hash) {
        if (hash === null) content.drop()
        else content.keep(hash)
        return Promise.resolve('')
      },
    })
  },
})
