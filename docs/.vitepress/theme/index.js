import { useData } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { h, onMounted, watchEffect } from 'vue'
import explorer from '../../images/explorer.png'
import darkExplorer from '../../images/explorer-dark.png'
import './style.css'

const alt = 'The explorer: a table of books beside its request and its answer'
const picture = () => [
  h('img', { class: 'picture in-light', src: explorer, alt }),
  h('img', { class: 'picture in-dark', src: darkExplorer, alt })
]
const install = () => h('p', { class: 'install' }, [h('code', 'npm create fastify-services my-app')])

export default {
  extends: DefaultTheme,
  Layout: {
    setup() {
      const { frontmatter } = useData()
      // The pages have a `main` of their own; the home page of the theme has none.
      onMounted(() =>
        watchEffect(() => {
          const content = document.getElementById('VPContent')
          if (frontmatter.value.layout === 'home') content?.setAttribute('role', 'main')
          else content?.removeAttribute('role')
        })
      )
      return () => h(DefaultTheme.Layout, null, { 'home-hero-image': picture, 'home-hero-info-after': install })
    }
  }
}
