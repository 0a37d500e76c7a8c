import { axiosLibrary } from './transports/axios.js'
import { fetchLibrary } from './transports/fetch.js'
import { jqueryLibrary } from './transports/jquery.js'
import { requestLibrary } from './transports/request.js'
import { superagentLibrary } from './transports/superagent.js'

/** The HTTP libraries that the client can send requests with. */
export const libraries = [fetchLibrary, axiosLibrary, superagentLibrary, jqueryLibrary, requestLibrary] as const
