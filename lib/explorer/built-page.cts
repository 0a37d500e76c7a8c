/**
 * The page as the build has made it, in JSON: bundlers put what CommonJS requires into a server
 * that is one file.
 */
const readBuiltPage = () => require('./page.json') as string

export = readBuiltPage
