// For more information about this file see https://dove.feathersjs.com/guides/cli/databases.html
import { loadConfiguration } from './src/configuration'

// Load our database connection info from the app configuration
module.exports = async () => (await loadConfiguration()).postgresql
