// Shows the progress while the service prepares its data, and opens the page that was requested afterwards. Without
// this script, people use the link.
(() => {
  'use strict'
  const status = document.getElementById('so-far')
  const bar = document.querySelector('progress')

  const look = async () => {
    try {
      const response = await fetch(location.href, {headers: {Accept: 'text/html'}})
      if (response.status !== 503) return location.reload()
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      status.textContent = page.getElementById('so-far').textContent
      bar.value = page.querySelector('progress').value
    } catch {} // the service was stopped; try again
    setTimeout(look, 500)
  }
  setTimeout(look, 500)
})()
