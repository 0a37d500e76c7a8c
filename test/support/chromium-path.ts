import { existsSync } from 'node:fs'

const places = [process.env.TEST_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where Chromium is, `undefined` when there is none. */
export const executablePath = places.find((path) => path !== undefined && existsSync(path))

/** Said of tests that are skipped without it. */
export const howToInstall =
  executablePath === undefined && 'there is no Chromium: apt-get install chromium, or set TEST_CHROMIUM'
