import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { applyTheme, chosenTheme } from './app/theme.ts'
import './styles/app.css'

applyTheme(chosenTheme())
const host = document.querySelector('#root')
if (host)
  createRoot(host).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
