// What runs in a browser alone: the tests in Chromium call it, where nothing is measured.
const inBrowser = 'dist/lib/client/transports/jquery.js'

/** Whether a compiled file, named from the root of the project, is one of the library whose coverage counts. */
export const isLibrary = (file) => (file.startsWith('dist/lib/') || file === 'dist/index.js') && file !== inBrowser
