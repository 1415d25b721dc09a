import { ApiError } from '../../api/transport.ts'
import { paths } from '../../app/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'

export const isRefused = (error: unknown): boolean => error instanceof ApiError && error.status === 403

/** Shown to people without access: whom to ask, and a link to their own page. */
export const NeedsAdmin = ({ me }: { me?: string | undefined }) => (
  <Empty icon="person" title="Admins only">
    <p>Ask an owner for the admin role.</p>
    {me && (
      <ButtonLink to={paths.person} params={{ id: me }} icon="person">
        Your page
      </ButtonLink>
    )}
  </Empty>
)
