// Recording a find, made quicker: photos are shown before they are sent, made smaller, and sent one by one with their progress; what could
// not be sent is kept on the device and sent when the service answers again. Without this script the form sends everything at once.
(() => {
  'use strict'
  const form = document.getElementById('find')
  const unsentBox = document.getElementById('unsent')

  // ---- what is kept on the device ----

  const open = () => new Promise((resolve, reject) => {
    const request = indexedDB.open('homeward', 1)
    request.onupgradeneeded = () => request.result.createObjectStore('finds', {keyPath: 'once'})
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  const inStore = async (mode, act) => {
    const db = await open()
    return new Promise((resolve, reject) => {
      const transaction = db.transaction('finds', mode)
      const request = act(transaction.objectStore('finds'))
      transaction.oncomplete = () => { db.close(); resolve(request.result) }
      transaction.onerror = transaction.onabort = () => { db.close(); reject(transaction.error) }
    })
  }
  const keep = find => inStore('readwrite', store => store.put(find))
  const drop = once => inStore('readwrite', store => store.delete(once))
  const kept = () => inStore('readonly', store => store.getAll())

  // ---- sending ----

  class Refused extends Error {
    constructor(status, problem) { super(problem.detail || 'It was refused.'); this.status = status; this.problem = problem }
  }

  const post = (url, body, onProgress) => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.setRequestHeader('Accept', 'application/json')
    request.responseType = 'json'
    request.timeout = 5 * 60 * 1000
    if (onProgress) request.upload.onprogress = event => { if (event.lengthComputable) onProgress(event.loaded / event.total) }
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(request.response)
      else reject(new Refused(request.status, request.response || {}))
    }
    request.onerror = request.ontimeout = () => reject(new TypeError('no connection'))
    request.send(body)
  })

  // A find is sent in steps, each of which may be repeated: the service knows a step that it has taken by its name.
  const send = async (find, onProgress = () => {}) => {
    if (!find.saved) {
      find.saved = await post(find.action, new URLSearchParams(find.fields))
      await keep(find)
    }
    const all = find.photos.length
    while (find.photos.length > 0) { // the first one last: the newest is its picture
      const photo = find.photos[find.photos.length - 1]
      const body = new FormData()
      body.append('once', photo.once)
      body.append('photo', photo.blob, 'photo.jpg')
      await post(`${find.saved.href}/photos`, body, part => onProgress(all - find.photos.length + part, all))
      find.photos.pop()
      await keep(find)
      onProgress(all - find.photos.length, all)
    }
    await drop(find.once)
    return find.saved
  }

  // ---- what was not sent before ----

  let sendingKept = false
  const sendKept = async () => {
    if (sendingKept || !navigator.onLine) return tellKept()
    sendingKept = true
    let login = false
    let sent = 0
    try {
      for (const find of await kept()) {
        try {
          await send(find)
          sent++
        } catch (error) {
          if (error.status === 401) { login = true; break }
          if (!(error instanceof Refused)) break
          find.fault = error.message
          await keep(find)
        }
      }
    } finally { sendingKept = false }
    return tellKept(login, sent)
  }
  const tellKept = async (login, sent) => {
    if (!unsentBox) return
    const finds = await kept()
    unsentBox.hidden = finds.length === 0 && !sent
    unsentBox.replaceChildren()
    if (sent) {
      const news = document.createElement('p')
      news.textContent = sent === 1 ? 'The find that was kept on this device is sent.' : `The ${sent} finds that were kept on this device are sent.`
      unsentBox.append(news)
    }
    if (finds.length === 0) return
    const line = document.createElement('p')
    line.textContent = (finds.length === 1 ? 'One find is' : `${finds.length} finds are`) + ' kept on this device and not sent yet. ' +
      (login ? 'Log in, and they are sent.' : navigator.onLine ? '' : 'They are sent when the connection is back.')
    unsentBox.append(line)
    const list = document.createElement('ul')
    for (const find of finds) {
      const row = document.createElement('li')
      row.append(`${find.description}${find.fault ? ': ' + find.fault : ''} `)
      const away = document.createElement('button')
      away.type = 'button'
      away.className = 'button second small'
      away.textContent = 'Throw away'
      away.onclick = async () => { if (confirm('Throw this find away? It was not sent.')) { await drop(find.once); tellKept(login) } }
      row.append(away)
      list.append(row)
    }
    unsentBox.append(list)
    if (login) {
      const link = document.createElement('a')
      link.href = '/login?next=' + encodeURIComponent(location.pathname)
      link.className = 'button second small'
      link.textContent = 'Log in'
      unsentBox.append(link)
    } else if (navigator.onLine) {
      const again = document.createElement('button')
      again.type = 'button'
      again.className = 'button second small'
      again.textContent = 'Send now'
      again.onclick = sendKept
      unsentBox.append(again)
    }
  }

  if (form && window.indexedDB) begin()
  if (window.indexedDB) { addEventListener('online', sendKept); addEventListener('offline', () => tellKept()); sendKept() }
  if ('serviceWorker' in navigator && document.body.classList.contains('staff')) navigator.serviceWorker.register('/sw.js').catch(() => {})

  function begin() {
    form.classList.add('scripted')
    const chosen = [] // {blob, url, once}
    const input = form.querySelector('#photo')
    const previews = document.getElementById('previews')
    const progress = document.getElementById('progress')
    const most = 6

    // Of a location that is not the page's own: the page for when there is no connection has none.
    if (form.dataset.place) localStorage.setItem('homeward.at', JSON.stringify({action: form.getAttribute('action'), name: form.dataset.place}))
    else {
      const at = JSON.parse(localStorage.getItem('homeward.at') || 'null')
      if (at) { form.action = at.action; document.getElementById('where-at').textContent = at.name }
      else form.hidden = true
    }

    const smaller = async file => {
      const longest = 2560
      try {
        const picture = await createImageBitmap(file, {imageOrientation: 'from-image'})
        const scale = Math.min(1, longest / Math.max(picture.width, picture.height))
        if (scale === 1 && file.type === 'image/jpeg' && file.size < 4 << 20) return file
        const canvas = document.createElement('canvas')
        canvas.width = Math.round(picture.width * scale)
        canvas.height = Math.round(picture.height * scale)
        canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height)
        picture.close()
        return await new Promise(resolve => canvas.toBlob(blob => resolve(blob || file), 'image/jpeg', .86))
      } catch {
        return file // the service says what is wrong with it
      }
    }

    const show = () => {
      previews.replaceChildren(...chosen.map((photo, n) => {
        const row = document.createElement('li')
        const image = document.createElement('img')
        image.src = photo.url
        image.width = image.height = 96
        image.alt = `Photo ${n + 1}`
        const away = document.createElement('button')
        away.type = 'button'
        away.className = 'away'
        away.setAttribute('aria-label', `Remove photo ${n + 1}`)
        away.textContent = '×'
        away.onclick = () => { URL.revokeObjectURL(photo.url); chosen.splice(n, 1); show(); input.focus() }
        row.append(image, away)
        return row
      }))
    }

    let ready = Promise.resolve() // when all photos that were chosen are among those to send
    const take = async files => {
      for (const file of files.slice(0, most - chosen.length)) {
        const blob = await smaller(file)
        chosen.push({blob, url: URL.createObjectURL(blob), once: crypto.getRandomValues(new Uint32Array(4)).join('-')})
        show()
      }
    }
    input.addEventListener('change', () => {
      const files = [...input.files]
      input.value = '' // they are sent from here
      ready = ready.then(() => take(files))
    })

    // A model brings its brand and colour along.
    form.elements.model?.addEventListener('change', () => {
      const seen = [...document.querySelectorAll('#models option')].find(o => o.value.toLowerCase() === form.elements.model.value.trim().toLowerCase())
      if (!seen) return
      if (!form.elements.brand.value) form.elements.brand.value = seen.dataset.brand
      if (!form.elements.color.value) form.elements.color.value = seen.dataset.color
    })

    // What is seldom said stays open for whoever says it often.
    form.querySelectorAll('details[id]').forEach(part => {
      const name = `homeward.open.${part.id}`
      if (localStorage.getItem(name)) part.open = true
      part.addEventListener('toggle', () => part.open ? localStorage.setItem(name, '1') : localStorage.removeItem(name))
    })

    const complain = problem => {
      form.querySelectorAll('.row.bad').forEach(row => { row.classList.remove('bad'); row.querySelector('.error')?.remove() })
      let first
      for (const {field, message} of problem.errors || []) {
        const element = form.elements[field]
        if (!element) continue
        const row = element.closest('.row')
        row.classList.add('bad')
        const line = document.createElement('p')
        line.className = 'error'
        line.id = `${field}-error`
        line.textContent = message[0].toUpperCase() + message.slice(1) + '.'
        element.before(line)
        element.setAttribute('aria-invalid', 'true')
        element.setAttribute('aria-describedby', line.id)
        element.closest('details')?.setAttribute('open', '')
        first ||= element
      }
      say(problem.detail || 'It could not be saved. What you typed is still here; try again.')
      first?.focus()
    }
    const bar = progress.querySelector('progress')
    const say = text => { progress.hidden = false; bar.hidden = true; progress.querySelector('span').textContent = text }
    const show1 = (done, all) => {
      progress.hidden = bar.hidden = false
      bar.max = all
      bar.value = done
      progress.querySelector('span').textContent = `Photo ${Math.min(all, Math.floor(done) + 1)} of ${all}`
    }

    form.addEventListener('submit', async event => {
      event.preventDefault()
      event.stopImmediatePropagation()
      const buttons = form.querySelectorAll('.foot button')
      buttons.forEach(button => { button.disabled = true })
      await ready
      const fields = [...new FormData(form)].filter(([, value]) => typeof value === 'string')
      const find = {
        once: form.elements.once.value || crypto.getRandomValues(new Uint32Array(4)).join('-'), action: form.action, fields,
        description: form.elements.description.value.trim(), photos: chosen.map(({blob, once}) => ({blob, once})), saved: null,
      }
      const next = event.submitter?.value === 'next'
      try {
        if (find.description) await keep(find) // a crash loses nothing
        const saved = await send(find, show1)
        location.assign(next ? `${form.getAttribute('action')}?saved=${saved.id}` : saved.href)
      } catch (error) {
        buttons.forEach(button => { button.disabled = false })
        if (error instanceof Refused && !find.saved) {
          await drop(find.once)
          if (error.status === 401) { await keep(find); return tellKept(true) }
          return complain(error.problem)
        }
        if (error instanceof Refused) { // it is there, and a photo was not taken
          say(`It is saved as ${find.saved.reference}. A photo was not taken: ${error.message}`)
          await drop(find.once)
          setTimeout(() => location.assign(find.saved.href), 3000)
          return
        }
        say(find.saved ? `It is saved as ${find.saved.reference}. Its photos are kept on this device and follow.` : 'There is no connection. The find is kept on this device and is sent when it is back.')
        form.reset()
        chosen.splice(0)
        show()
        form.elements.once.value = crypto.getRandomValues(new Uint32Array(4)).join('-')
        tellKept()
      }
    })
  }
})()
