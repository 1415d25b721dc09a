import { useState } from 'react'
import { Icon } from '../ui/icon.tsx'
import { Counts } from './file-head.tsx'
import { countIn, treeOf, type FileTree, type ListedFile } from './file-tree.ts'
import { shownName } from './hidden-characters.ts'
import type { DiffFile } from './diff-model.ts'

/** More than this are not listed at once. */
const mostListed = 500
/** From here on files are shown by directory, and can be searched. */
const many = 12

type FileListProps = {
  id: string
  files: readonly DiffFile[]
  viewed: ReadonlySet<string>
  go: (index: number) => void
}

/** All files of the diff; a click goes to the file. */
export function FileList({ id, files, viewed, go }: FileListProps) {
  const [query, setQuery] = useState('')
  const wanted = query.trim().toLowerCase()
  const found = files
    .map((file, index) => ({ file, index }))
    .filter(({ file }) => wanted === '' || file.path.toLowerCase().includes(wanted))
  const listed = found.slice(0, mostListed)
  return (
    <div id={id} className="diff-list">
      {files.length > many && (
        <input
          type="search"
          className="diff-search"
          aria-label="Find a file by name"
          placeholder="Find a file"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
      )}
      {files.length > many && wanted === '' ? (
        <Branch tree={treeOf(listed)} viewed={viewed} go={go} />
      ) : (
        <ul>
          {listed.map((one) => (
            <FileEntry key={one.index} {...one} name={one.file.path} viewed={viewed} go={go} />
          ))}
        </ul>
      )}
      {found.length === 0 && <p className="diff-says">No file names match.</p>}
      {found.length > mostListed && (
        <p className="diff-says">{`${found.length - mostListed} more: type part of the name.`}</p>
      )}
    </div>
  )
}

type Picking = Pick<FileListProps, 'viewed' | 'go'>

const Branch = ({ tree: { dirs, files }, ...pick }: { tree: FileTree } & Picking) => (
  <ul>
    {dirs.map((dir, index) => (
      <li key={index}>
        <details open>
          <summary className="diff-list-dir">
            <bdi className="diff-path">{shownName(dir.name)}</bdi> <span>{countIn(dir)}</span>
          </summary>
          <div className="diff-list-below">
            <Branch tree={dir} {...pick} />
          </div>
        </details>
      </li>
    ))}
    {files.map((one) => (
      <FileEntry key={one.index} {...one} {...pick} />
    ))}
  </ul>
)

const FileEntry = ({ file, index, name, viewed, go }: ListedFile & { name: string } & Picking) => (
  <li>
    <button type="button" className="diff-list-file" onClick={() => go(index)}>
      <bdi className="diff-path">{shownName(name)}</bdi>
      <span className="diff-group">
        {viewed.has(file.path) && (
          <span role="img" aria-label="viewed">
            <Icon name="check" className="size-4" />
          </span>
        )}
        <Counts added={file.added} removed={file.removed} />
      </span>
    </button>
  </li>
)
