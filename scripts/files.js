import { readdirSync } from 'node:fs'

/** The files of a folder and of those in it. `readdirSync` with `recursive` follows links since Node 22, and a link may lead back. */
export const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]
  )
