// Photos to upload, the order of photos, large photos, and the errors of forms with photos. Everything reacts to events
// of the document, so that it also works for elements that another script adds. Without it, each button sends its form.
(() => {
  'use strict'
  const {textsOf, post, Refused, namesOf} = window.homeward
  const all = (selector, within = document) => [...within.querySelectorAll(selector)]
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties)
    element.append(...children)
    return element
  }

  // ---- photos to upload ----

  const newOnce = () => crypto.getRandomValues(new Uint32Array(4)).join('-')
  const scaleDown = async (file, longest = 2560) => {
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
      return file // the server will report the error
    }
  }

  // newPicker returns the photos that were chosen in an element. If the element has an address for uploads, the photos are
  // sent at once. Otherwise the script of the form sends them.
  const newPicker = root => {
    const say = textsOf(root), {upload} = root.dataset, max = Number(root.dataset.max)
    const list = root.querySelector('ol'), status = root.querySelector('[role=status]')
    let photos = [] // {blob, url, once, row, image, bar, fault, failed, buttons}
    let ready = Promise.resolve() // resolved when all chosen photos are scaled down
    let sending = false, chosen = 0

    const show = () => {
      photos.forEach((photo, n) => {
        photo.image.alt = photo.bar.ariaLabel = say('photo', {n: n + 1})
        for (const [name, button] of Object.entries(photo.buttons)) button.ariaLabel = say(name, {n: n + 1})
        photo.buttons.earlier.disabled = n === 0
        photo.buttons.later.disabled = n === photos.length - 1
        photo.buttons.earlier.hidden = photo.buttons.later.hidden = photos.length < 2 || Boolean(upload)
        photo.row.draggable = photos.length > 1 && !upload
        photo.buttons.remove.hidden = Boolean(upload) && !photo.failed
      })
      list.replaceChildren(...photos.map(photo => photo.row))
      root.dispatchEvent(new Event('photoschange'))
    }
    const remove = photo => {
      const n = photos.indexOf(photo)
      URL.revokeObjectURL(photo.url)
      photos.splice(n, 1)
      chosen = photos.length
      status.textContent = ''
      show()
      const next = photos[Math.min(n, photos.length - 1)]
      if (next) next.buttons.remove.focus()
      else root.querySelector('input[multiple]').focus()
    }
    const move = (photo, by) => {
      const n = photos.indexOf(photo) + by
      photos.splice(n - by, 1)
      photos.splice(n, 0, photo)
      show()
      const {earlier, later} = photo.buttons
      const used = by < 0 ? earlier : later
      if (used.disabled) (by < 0 ? later : earlier).focus()
      else used.focus()
      status.textContent = say('moved', {n: n + 1, all: photos.length})
    }
    const setFault = (photo, text) => {
      photo.failed = Boolean(text)
      photo.row.classList.toggle('bad', photo.failed)
      photo.fault.replaceChildren(text)
      if (!text) return
      const retry = make('button', {type: 'button', className: 'button second small', textContent: say('retry'), onclick: () => {
        setFault(photo, '')
        photo.bar.hidden = false
        photo.bar.value = 0
        list.tabIndex = -1
        list.focus() // the button is gone
        send()
      }})
      photo.fault.append(' ', retry)
    }
    const add = async file => {
      const blob = await scaleDown(file)
      const button = (name, text, onclick) => make('button', {type: 'button', className: name, textContent: text, onclick})
      const photo = {
        blob, url: URL.createObjectURL(blob), once: newOnce(), failed: false, row: make('li'),
        image: make('img', {width: 96, height: 96, draggable: false}), fault: make('p', {className: 'error'}),
        bar: make('progress', {max: 1, value: 0, hidden: !upload}),
        buttons: {
          earlier: button('earlier', '‹', () => move(photo, -1)), later: button('later', '›', () => move(photo, 1)),
          remove: button('away', '×', () => remove(photo)),
        },
      }
      photo.image.src = photo.url
      photo.row.append(photo.image, photo.bar, photo.fault, ...Object.values(photo.buttons))
      photos.push(photo)
      show()
    }

    // The first photo is sent last, because the newest becomes the main photo.
    const send = async () => {
      if (sending) return
      sending = true
      let added = 0
      for (let photo; (photo = photos.findLast(photo => !photo.failed));) {
        const body = new FormData()
        body.append('once', photo.once) // sending it again has no effect
        body.append('photo', photo.blob, 'photo.jpg')
        try {
          await post(upload, body, part => { photo.bar.value = part })
          URL.revokeObjectURL(photo.url)
          photos = photos.filter(other => other !== photo)
          added++
        } catch (error) {
          photo.bar.hidden = true
          setFault(photo, error.message && error instanceof Refused ? error.message : say('failed'))
        }
        show()
      }
      chosen = photos.length
      if (added) await readAgain()
      sending = false
      if (added) status.textContent = say('added', {n: added})
      if (photos.some(photo => !photo.failed)) send()
    }

    list.addEventListener('sorted', () => {
      photos.sort((a, b) => [...list.children].indexOf(a.row) - [...list.children].indexOf(b.row))
      show()
    })
    return {
      add: files => {
        const pictures = files.filter(file => !file.type || file.type.startsWith('image/'))
        const taken = pictures.slice(0, max - chosen)
        chosen += taken.length
        if (taken.length < pictures.length) status.textContent = say('limit', {n: max})
        else status.textContent = pictures.length < files.length ? say('unsupported') : ''
        ready = ready.then(async () => {
          for (const file of taken) await add(file)
          if (upload) send()
        })
      },
      ready: () => ready,
      photos: () => photos.map(({blob, once}) => ({blob, once})),
      // showProgress shows how many photos were sent, with the part of the current one.
      showProgress: done => photos.forEach((photo, n) => {
        photo.bar.hidden = false
        photo.bar.value = Math.min(1, Math.max(0, done - (photos.length - 1 - n)))
      }),
      clear: () => {
        photos.forEach(photo => URL.revokeObjectURL(photo.url))
        photos = []
        chosen = 0
        show()
      },
    }
  }
  const pickers = new WeakMap()
  const photosOf = root => {
    if (!pickers.has(root)) pickers.set(root, newPicker(root))
    return pickers.get(root)
  }
  // isSent reports whether a script sends the photos. The script of a form does not run in every browser.
  const isSent = root => root.dataset.upload || pickers.has(root)
  const currentPicker = () => all('[data-photos]').find(isSent)

  addEventListener('change', ({target}) => {
    const root = target.matches?.('input[type=file]') && target.closest('[data-photos]')
    if (!root) return
    const files = [...target.files]
    if (!isSent(root)) return void (root.querySelector('[role=status]').textContent = namesOf(files))
    target.value = '' // a script sends them
    photosOf(root).add(files)
  })
  const addTo = (root, files) => {
    root.closest('details:not([open])')?.setAttribute('open', '')
    photosOf(root).add(files)
    root.scrollIntoView({block: 'nearest'})
  }
  addEventListener('paste', event => {
    const root = currentPicker(), data = event.clipboardData
    if (!root || !data?.files.length || document.querySelector('dialog[open]')) return
    if (data.types.includes('text/plain') && event.target.closest?.('input, textarea')) return // cells of a table, for example
    event.preventDefault()
    addTo(root, [...data.files])
  })

  // ---- dragging ----

  let dragged // the photo that is moved within its list
  const carriesFiles = event => !dragged && event.dataTransfer?.types.includes('Files') && !event.target.closest?.('[data-file]')
  const marked = on => all('[data-photos]').forEach(root => root.classList.toggle('over', on))
  addEventListener('dragstart', ({target, dataTransfer}) => {
    if (!target.matches?.('[data-sort] > li')) return
    dragged = target
    dataTransfer.effectAllowed = 'move'
    target.classList.add('dragged')
  })
  addEventListener('dragover', event => {
    if (carriesFiles(event) && currentPicker()) {
      event.preventDefault() // otherwise the browser would open the file, and the form would be lost
      return marked(true)
    }
    const over = dragged && event.target.closest?.('[data-sort] > li')
    if (over?.parentElement !== dragged?.parentElement || !dragged) return
    event.preventDefault()
    if (over === dragged) return
    const after = dragged.compareDocumentPosition(over) & Node.DOCUMENT_POSITION_FOLLOWING
    over[after ? 'after' : 'before'](dragged)
  })
  addEventListener('dragleave', event => { if (!event.relatedTarget) marked(false) })
  addEventListener('drop', event => {
    marked(false)
    if (dragged) return event.preventDefault()
    const root = carriesFiles(event) && currentPicker()
    if (!root) return
    event.preventDefault()
    addTo(root, [...event.dataTransfer.files])
  })
  addEventListener('dragend', () => {
    if (!dragged) return
    const list = dragged.parentElement
    dragged.classList.remove('dragged')
    dragged = undefined
    list.dispatchEvent(new Event('sorted'))
    if (list.dataset.sort) sendForm(list, new URLSearchParams([['do', 'order'], ...all('[data-id]', list).map(row => ['order', row.dataset.id])]))
  })

  // ---- the photos of an item ----

  // showAgain replaces the photos on this page with those on another version of it.
  const showAgain = html => {
    const page = new DOMParser().parseFromString(html, 'text/html')
    for (const part of all('[data-photo-part]')) {
      const fresh = page.getElementById(part.id)
      if (!fresh) return location.reload() // logged out, for example
      part.replaceChildren(...fresh.childNodes)
    }
    return page
  }
  const readAgain = async () => {
    try {
      const response = await fetch(location.href, {headers: {Accept: 'text/html'}})
      if (response.ok) showAgain(await response.text())
    } catch { /* no connection: the photos are shown later */ }
  }
  const sendForm = async (list, body, id, action) => {
    const picker = document.querySelector('[data-photos]'), status = picker.querySelector('[role=status]')
    try {
      const response = await fetch(list.dataset.sort, {method: 'POST', body, headers: {Accept: 'text/html'}})
      if (!response.ok) return location.reload()
      const page = showAgain(await response.text())
      status.textContent = page?.querySelector('.flash')?.textContent.trim() ?? ''
    } catch {
      status.textContent = textsOf(picker)('failed')
    }
    if (!id) return
    const row = list.querySelector(`[data-id="${CSS.escape(id)}"]`) ?? list.querySelector('[data-id]')
    const button = row?.querySelector(`button[value="${action}"]:not(:disabled)`) ?? row?.querySelector('button:not(:disabled), summary')
    ;(button ?? picker.querySelector('input[multiple]')).focus()
  }
  document.addEventListener('submit', event => { // before the other scripts, which listen on the window
    const list = event.target.closest('[data-sort]')
    if (!list?.dataset.sort) return
    event.preventDefault()
    const body = new URLSearchParams(new FormData(event.target, event.submitter))
    sendForm(list, body, body.get('image'), body.get('do'))
  })

  // ---- large photos ----

  let links = [], shown = 0
  const dialogOf = () => document.querySelector('.photo-dialog')
  const showPhoto = n => {
    const dialog = dialogOf(), image = dialog.querySelector('img')
    shown = (n + links.length) % links.length
    image.src = links[shown].href
    image.alt = links[shown].querySelector('img').alt
    dialog.querySelector('[role=status]').textContent = textsOf(dialog)('of', {n: shown + 1, all: links.length})
    all('[data-step]', dialog).forEach(button => { button.hidden = links.length < 2 })
    for (const by of [1, -1]) new Image().src = links.at((shown + by) % links.length).href // so that it appears at once
  }
  addEventListener('click', event => {
    const dialog = dialogOf()
    if (!dialog) return
    const link = event.target.closest('a[data-enlarge]')
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault()
      const gallery = link.closest('[data-gallery]')
      links = gallery ? all('a[data-enlarge]', gallery) : [link]
      showPhoto(links.indexOf(link))
      dialog.showModal() // the browser returns the focus when the dialog closes
      dialog.focus() // Enter, which opened the photo, must not press the first button too
      return
    }
    const step = event.target.closest('.photo-dialog [data-step]')
    if (step) showPhoto(shown + Number(step.dataset.step))
    if (event.target === dialog || event.target.closest('.photo-dialog [data-close]')) dialog.close()
  })
  addEventListener('keydown', event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key]
    if (!step || !dialogOf()?.open || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    showPhoto(shown + (document.dir === 'rtl' ? -step : step))
  })
  let touched
  addEventListener('touchstart', event => {
    touched = dialogOf()?.open && event.touches.length === 1 ? event.touches[0] : undefined
  }, {passive: true})
  addEventListener('touchend', event => {
    const [end] = event.changedTouches
    const across = touched ? end.clientX - touched.clientX : 0
    if (Math.abs(across) < 48 || Math.abs(across) < 2 * Math.abs(end.clientY - touched.clientY)) return
    showPhoto(shown + (across < 0 === (document.dir !== 'rtl') ? 1 : -1))
  })

  // ---- what photos show ----

  // A suggested value is written into its field, and the button stays, so that nothing moves.
  addEventListener('click', event => {
    const chip = event.target.closest?.('[data-fill]'), field = chip?.form?.elements[chip.dataset.fill]
    if (!field) return
    field.value = chip.dataset.value
    for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, {bubbles: true}))
    field.closest('details')?.setAttribute('open', '')
    for (const other of all(`[data-fill="${chip.dataset.fill}"]`, chip.form)) other.ariaPressed = other === chip
  })

  // ---- errors of forms with photos ----

  // showProblem marks the fields that the server has rejected and focuses the first. It calls show with the problem's
  // detail, or else the general text, and with the errors about fields that the form does not have.
  const showProblem = (form, {detail, errors}, general, show) => {
    form.querySelectorAll('.row.bad').forEach(row => { row.classList.remove('bad'); row.querySelector('.error')?.remove() })
    const others = []
    let first
    for (const {field, message} of errors || []) {
      const element = form.elements[field]
      if (!element) { others.push(message); continue }
      const line = make('p', {className: 'error', id: `${field}-error`, textContent: message})
      element.closest('.row').classList.add('bad')
      element.before(line)
      element.setAttribute('aria-invalid', 'true')
      element.setAttribute('aria-describedby', line.id)
      element.closest('details')?.setAttribute('open', '')
      first ||= element
    }
    show([detail || general, ...others].join(' '))
    first?.focus()
  }

  Object.assign(window.homeward, {newOnce, photosOf, scaleDown, make, showProblem})
})()
