import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement } from 'react'
import { Icon, type IconName } from './icon.tsx'

export type MenuItem = { label: string; icon?: IconName; run: () => void; bad?: boolean; disabled?: boolean }

export const Menu = ({ trigger, items }: { trigger: ReactElement; items: readonly MenuItem[] }) => (
  <Base.Root>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner sideOffset={6} align="end" className="z-50">
        <Base.Popup className="animate-appear min-w-48 rounded-xl border border-line bg-raised p-1.5 shadow-float">
          {items.map(({ label, icon, run, bad, disabled }) => (
            <Base.Item
              key={label}
              onClick={run}
              disabled={disabled ?? false}
              className={`flex min-h-11 cursor-pointer items-center gap-2.5 rounded-lg px-3 data-disabled:opacity-50 data-highlighted:bg-sunken pointer-fine:min-h-9 ${bad ? 'text-stop' : ''}`}
            >
              {icon && <Icon name={icon} className="size-4.5" />}
              {label}
            </Base.Item>
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
