import DefaultTheme from 'vitepress/theme'
import { h } from 'vue'
import explorer from '../../images/explorer.png'
import './style.css'

const picture = () =>
  h('img', { class: 'picture', src: explorer, alt: 'The explorer: a table of books beside its request and its answer' })
const install = () => h('p', { class: 'install' }, [h('code', 'npm i fastify fastify-services')])

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'home-hero-image': picture, 'home-hero-info-after': install })
}
