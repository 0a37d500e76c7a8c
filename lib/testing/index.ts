export { type AdapterUnderTest, adapterSuite, type SuiteOptions, type TestFunction } from './adapter-suite.js'
export { injectFetch } from './inject-fetch.js'
export { cheapHash, tokenFor } from './login.js'
