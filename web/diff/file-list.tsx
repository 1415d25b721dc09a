import { useState } from 'react'
import { Counts } from './file-head.tsx'
import { shownName } from './hidden-characters.ts'
import type { DiffFile } from './diff-model.ts'

/** More than this are not listed at once. */
const mostListed = 500

type Props = { id: string; files: readonly DiffFile[]; go: (index: number) => void }

/** All files of the diff; a click goes to the file. */
export function FileList({ id, files, go }: Props) {
  const [query, setQuery] = useState('')
  const wanted = query.trim().toLowerCase()
  const found = files
    .map((file, index) => ({ file, index }))
    .filter(({ file }) => wanted === '' || file.path.toLowerCase().includes(wanted))
  return (
    <div id={id} className="diff-list">
      {files.length > 12 && (
        <input
          type="search"
          className="diff-search"
          aria-label="Find a file by name"
          placeholder="Find a file"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
      )}
      <ul>
        {found.slice(0, mostListed).map(({ file, index }) => (
          <li key={index}>
            <button type="button" className="diff-list-file" onClick={() => go(index)}>
              <bdi className="diff-path">{shownName(file.path)}</bdi>
              <Counts added={file.added} removed={file.removed} />
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="diff-says">No file names match.</p>}
      {found.length > mostListed && (
        <p className="diff-says">{`${found.length - mostListed} more: type part of the name.`}</p>
      )}
    </div>
  )
}
