// Every page works without this script. It prevents sending a form twice, hides a price that is not for the chosen country,
// checks whether a payment was confirmed, and tells a site that embeds the form how high it is.
(() => {
  'use strict'
  let sent = []
  addEventListener('submit', event => {
    if (event.defaultPrevented) return
    const buttons = event.target.querySelectorAll('button')
    setTimeout(() => { // a button that is disabled immediately would not be sent
      sent = [...buttons]
      sent.forEach(button => { button.disabled = true })
    })
  })
  const price = document.querySelector('[data-for]')
  const match = () => {
    if (price) price.classList.toggle('stale', document.getElementById('country').value !== price.dataset.for)
  }
  addEventListener('change', match)
  addEventListener('pageshow', () => { // after going back: it may be sent again, and the browser may have kept the values
    sent.forEach(button => { button.disabled = false })
    sent = []
    match()
  })
  const again = document.querySelector('[data-again]') // the pages count the checks and end them
  if (again) setTimeout(() => location.replace(again.href), 4000)
  if (parent !== window && document.documentElement.classList.contains('embed')) {
    const tell = () => parent.postMessage({homeward: 'height', height: Math.ceil(document.documentElement.getBoundingClientRect().height)}, '*')
    new ResizeObserver(tell).observe(document.documentElement)
    tell()
  }
})()
