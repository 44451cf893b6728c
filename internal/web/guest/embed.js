// Embeds the form for lost items where this script is included. If the page has a Content-Security-Policy, it must allow
// this service in script-src and frame-src. The script needs no other permissions and no cookies.
(() => {
  'use strict'
  const script = document.currentScript
  const address = new URL(script.src)
  const origin = address.origin
  address.pathname = address.pathname.replace(/\/embed\.js$/, '')
  address.searchParams.set('embed', '1')
  const frame = document.createElement('iframe')
  frame.src = address.href
  frame.title = "TITLE"
  frame.width = '100%'
  frame.height = '900'
  frame.style.border = '0'
  frame.referrerPolicy = 'no-referrer'
  addEventListener('message', event => {
    if (event.origin !== origin || event.source !== frame.contentWindow) return
    const {homeward, height} = event.data || {}
    if (homeward === 'height' && Number.isFinite(height) && height > 0) frame.height = String(Math.min(Math.ceil(height), 20000))
  })
  script.after(frame)
})()
