import axios from 'axios'
import jquery from 'jquery'
import superagent from 'superagent'
import { createApi } from './client-api.js'

// What a page of the tests loads, bundled.
Object.assign(globalThis, {
  jquery,
  api: createApi('jquery', jquery),
  fetchApi: createApi('fetch', fetch),
  axiosApi: createApi('axios', axios),
  superagentApi: createApi('superagent', superagent)
})
