import { RouterProvider } from '@tanstack/react-router'
import { BackendProvider, createBackend } from '../api/backend.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { router } from './router.tsx'

const backend = createBackend()

export const App = () => (
  <BackendProvider backend={backend}>
    <Toasts>
      <RouterProvider router={router} />
    </Toasts>
  </BackendProvider>
)
