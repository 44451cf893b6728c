// Every page works without this. It keeps a hasty finger from sending a form twice, hides a price that is not the chosen country's,
// looks whether a payment was confirmed, and tells a site that shows our form as a part of its page how high that is.
(() => {
  'use strict'
  let sent = []
  addEventListener('submit', event => {
    if (event.defaultPrevented) return
    const buttons = event.target.querySelectorAll('button')
    setTimeout(() => { // what is disabled at once is not sent along
      sent = [...buttons]
      sent.forEach(button => { button.disabled = true })
    })
  })
  const price = document.querySelector('[data-for]')
  const match = () => {
    if (price) price.classList.toggle('stale', document.getElementById('country').value !== price.dataset.for)
  }
  addEventListener('change', match)
  addEventListener('pageshow', () => { // back again: it may be sent again, and a browser may have kept what was chosen
    sent.forEach(button => { button.disabled = false })
    sent = []
    match()
  })
  const again = document.querySelector('[data-again]') // the pages count how often, and end it
  if (again) setTimeout(() => location.replace(again.href), 4000)
  if (parent !== window && document.documentElement.classList.contains('embed')) {
    const tell = () => parent.postMessage({homeward: 'height', height: Math.ceil(document.documentElement.getBoundingClientRect().height)}, '*')
    new ResizeObserver(tell).observe(document.documentElement)
    tell()
  }
})()
