import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useEffect, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { endText } from '../typed-words.ts'
import { useEntries, type Entry, type EntryGroup } from './entries.ts'

/** Sessions, asks, what the view can do, places and settings in one list, filtered as you type. */
export function Palette({ close }: { close: () => void }) {
  const [typed, setTyped] = useState('')
  const { groups, searching } = useEntries(typed)
  useEffect(() => endText, [])
  const run = (entry: Entry) => {
    close()
    // Once the focus is back in the view, which may want to move it.
    setTimeout(entry.run)
  }
  return (
    <Dialog.Root open onOpenChange={(next) => !next && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup
          aria-label="Go to or do"
          className={
            'fixed inset-x-0 top-0 z-50 flex max-h-dvh flex-col bg-raised shadow-float ' +
            'sm:inset-x-auto sm:top-[12vh] sm:left-1/2 sm:max-h-[min(32rem,76vh)] sm:w-[min(38rem,92vw)] sm:-translate-x-1/2 sm:rounded-2xl'
          }
        >
          <Autocomplete.Root
            inline
            open
            items={groups}
            mode="none"
            value={typed}
            onValueChange={(value, { reason }) => reason !== 'item-press' && setTyped(value)}
            itemToStringValue={(entry: Entry) => entry.label}
            autoHighlight="always"
            keepHighlight
          >
            <div className="flex items-center gap-2 border-b border-line pr-2 pl-4">
              <Icon name="search" className="size-4.5 text-soft" />
              <Autocomplete.Input
                aria-label="Go to or do"
                placeholder="A session, an ask, an action, a setting…"
                className="min-h-13 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-soft"
              />
              <Dialog.Close
                aria-label="Close"
                className="flex size-11 items-center justify-center rounded-lg text-soft"
              >
                <Icon name="cross" className="size-4.5" />
              </Dialog.Close>
            </div>
            <Autocomplete.Empty className="px-4 py-6 text-center text-soft empty:hidden">
              {searching ? 'Searching…' : 'No matches. To search what was said, start with “/”.'}
            </Autocomplete.Empty>
            <Autocomplete.List className="min-h-0 overflow-y-auto overscroll-contain p-2 empty:hidden">
              {(group: EntryGroup) => (
                <Autocomplete.Group key={group.label} items={group.items}>
                  <Autocomplete.GroupLabel className="px-2.5 pt-2 pb-1 text-xs font-semibold text-soft">
                    {group.label}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(entry: Entry) => <EntryRow key={entry.id} entry={entry} run={run} />}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const EntryRow = ({ entry, run }: { entry: Entry; run: (entry: Entry) => void }) => (
  <Autocomplete.Item
    value={entry}
    onClick={() => run(entry)}
    className="flex min-h-11 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1 data-highlighted:bg-sunken pointer-fine:min-h-9"
  >
    <Icon name={entry.icon} className="size-4.5 text-soft" />
    <span className="min-w-0 flex-1 sm:flex sm:items-baseline sm:gap-2">
      <span className="block truncate sm:max-w-[70%] sm:shrink-0">{entry.label}</span>
      {entry.detail !== '' && <span className="block min-w-0 truncate text-sm text-soft">{entry.detail}</span>}
    </span>
    {entry.keys !== '' && (
      <kbd aria-hidden="true" className="hidden shrink-0 font-mono text-xs text-soft pointer-fine:inline">
        {entry.keys}
      </kbd>
    )}
  </Autocomplete.Item>
)
