import { SettingsPage } from '../settings-page.tsx'
import { OtherDevice } from './other-device.tsx'
import { Passkeys } from './passkeys.tsx'

/** How this person signs in: passkeys, and other devices that this one lets in. */
export const SignInView = () => (
  <SettingsPage title="Sign-in">
    <Passkeys />
    <OtherDevice />
  </SettingsPage>
)
