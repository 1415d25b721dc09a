import { Icon } from '../ui/icon.tsx'
import type { ReactNode } from 'react'
import { Counts } from './file-head.tsx'
import type { ViewChoice } from './view-settings.ts'

type Props = {
  files: number
  added: number
  removed: number
  choice: ViewChoice
  choose: (choice: ViewChoice) => void
  ignoreWhiteSpace: boolean
  setIgnoreWhiteSpace: (ignore: boolean) => void
  listOpen: boolean
  listId: string
  toggleList: () => void
}

/** Summary of the diff, its list of files, and view options. */
export function Toolbar(props: Props) {
  const { files, added, removed, choice, choose } = props
  return (
    <div className="diff-toolbar" role="group" aria-label="View options">
      {files > 1 ? (
        <button
          type="button"
          className="diff-button"
          aria-expanded={props.listOpen}
          aria-controls={props.listId}
          onClick={props.toggleList}
        >
          <Icon name="list" className="size-4" />
          {`${files.toLocaleString('en')} files`}
        </button>
      ) : (
        <span className="diff-one-file">1 file</span>
      )}
      <Counts added={added} removed={removed} />
      <div className="diff-group diff-options">
        <Toggle on={choice.layout === 'split'} set={(on) => choose({ ...choice, layout: on ? 'split' : 'unified' })}>
          Split
        </Toggle>
        <Toggle on={choice.wrap} set={(wrap) => choose({ ...choice, wrap })}>
          Wrap lines
        </Toggle>
        <Toggle on={props.ignoreWhiteSpace} set={props.setIgnoreWhiteSpace}>
          Ignore whitespace
        </Toggle>
      </div>
    </div>
  )
}

const Toggle = ({ on, set, children }: { on: boolean; set: (on: boolean) => void; children: ReactNode }) => (
  <button type="button" className="diff-button" aria-pressed={on} onClick={() => set(!on)}>
    {children}
  </button>
)
