import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BackendProvider, createBackend } from './api/backend.tsx'
import { router } from './app/router.tsx'
import { applyTheme, chosenTheme } from './app/theme.ts'
import { Toasts } from './ui/toasts.tsx'
import './styles/app.css'

applyTheme(chosenTheme())
const backend = createBackend()
const host = document.querySelector('#root')
if (host)
  createRoot(host).render(
    <StrictMode>
      <BackendProvider backend={backend}>
        <Toasts>
          <RouterProvider router={router} />
        </Toasts>
      </BackendProvider>
    </StrictMode>,
  )
