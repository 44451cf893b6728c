// Stores found items on the device until they are sent. Each item belongs to the user who recorded it: it is shown
// only to that user and sent only in their session, even if several users share the device. Users with unsent items
// are asked before they log out.
(() => {
  'use strict'
  const {textsOf, post, Refused} = window.homeward
  if (!window.indexedDB || window.homeward.send) return
  const box = document.getElementById('unsent')
  const logoutForm = document.querySelector('form[action="/logout"]')

  const boxText = textsOf(box)
  const dialogText = textsOf(logoutForm)

  // ---- the current user and location ----

  // The offline page is the same for everyone, so the last page with a session stores the user and location for it.
  const savedContext = () => JSON.parse(localStorage.getItem('homeward.at') || 'null')
  const saveContext = at => localStorage.setItem('homeward.at', JSON.stringify({...at, person: document.body.dataset.person}))
  const clearContext = () => localStorage.removeItem('homeward.at') // staff.js does the same if another user is logged in
  const person = () => document.body.dataset.person || savedContext()?.person

  // ---- the store ----

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
  const save = find => {
    localStorage.setItem('homeward.kept', 'yes') // tells other pages that there is something to send
    return inStore('readwrite', store => store.put(find))
  }
  const remove = async once => {
    await inStore('readwrite', store => store.delete(once))
    if ((await all()).length === 0) localStorage.removeItem('homeward.kept')
  }
  // Updates an item only if it is still stored: another tab may have sent or deleted it.
  const update = find => inStore('readwrite', store => {
    const existing = store.getKey(find.once)
    existing.onsuccess = () => { if (existing.result) store.put(find) }
    return existing
  })
  const all = () => inStore('readonly', store => store.getAll())
  const ownUnsent = async () => (await all()).filter(find => find.person && find.person === person())

  // ---- sending ----

  // An item is sent in steps: its text, then each photo. Each step has a key, so repeating it has no effect. The
  // server rejects a step if another user has logged in since, for example in another tab.
  const send = async (find, onProgress = () => {}) => {
    if (!find.saved) {
      // the owner's notice waits for the photos
      const fields = find.photos.length ? [...find.fields, ['photos', find.photos.length]] : find.fields
      find.saved = await post(find.action, new URLSearchParams(fields))
      await update(find)
    }
    const count = find.photos.length
    while (find.photos.length > 0) { // the first photo is sent last, because the newest becomes the main photo
      const photo = find.photos[find.photos.length - 1]
      const body = new FormData()
      body.append('once', photo.once)
      body.append('person', find.person)
      body.append('photo', photo.blob, 'photo.jpg')
      try {
        await post(`${find.saved.href}/photos`, body, part => onProgress(count - find.photos.length + part, count))
      } catch (error) {
        if (!error.final) throw error
        find.rejected = [...find.rejected ?? [], error.message] // the other photos are sent nevertheless
      }
      find.photos.pop()
      await update(find)
      onProgress(count - find.photos.length, count)
    }
    if (find.rejected) throw new Refused(422, {detail: find.rejected.join(' ')})
    await remove(find.once)
    return find.saved
  }

  let sending = false
  const sendAll = async () => {
    if (sending || !navigator.onLine) return showUnsent()
    sending = true
    let login = false
    let sent = 0
    try {
      for (const find of await ownUnsent()) {
        try {
          await send(find)
          sent++
        } catch (error) {
          if (error.status === 401) { login = true; break }
          if (!(error instanceof Refused)) break
          find.fault = error.message || boxText('rejected') || dialogText('rejected')
          await update(find)
        }
      }
    } finally { sending = false }
    return showUnsent(login, sent)
  }

  // ---- showing unsent items ----

  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties)
    element.append(...children)
    return element
  }
  const button = (text, className, onclick) => make('button', {type: 'button', className, onclick}, text)

  const row = (find, login) => make('li', {}, find.fault ? boxText('labelled', {label: find.description, text: find.fault}) : find.description, ' ', button(boxText('delete'), 'button second small', async () => {
    if (!confirm(boxText('confirm'))) return
    await remove(find.once)
    showUnsent(login)
  }))

  const showUnsent = async (login, sent) => {
    if (!box) return
    const own = await ownUnsent()
    const others = (await all()).length - own.length
    box.hidden = own.length + others === 0 && !sent
    box.replaceChildren()
    const say = (name, n) => box.append(make('p', {}, boxText(name, {n})))
    if (sent) say('sent', sent)
    if (own.length > 0) {
      say(login ? 'own-login' : navigator.onLine ? 'own' : 'own-offline', own.length)
      box.append(make('ul', {}, ...own.map(find => row(find, login))))
      if (login) box.append(make('a', {href: '/login?next=' + encodeURIComponent(location.pathname), className: 'button second small'}, boxText('login')))
      else if (navigator.onLine) box.append(button(boxText('send'), 'button second small', sendAll))
    }
    if (others > 0) say('others', others)
  }

  // ---- logging out ----

  const logOut = () => { clearContext(); logoutForm.submit() }

  const ask = own => {
    const n = own.length
    const state = make('p', {role: 'status'})
    const sendFirst = async () => {
      state.textContent = dialogText('sending')
      await sendAll()
      const left = await ownUnsent()
      if (left.length === 0) return logOut()
      state.textContent = left.find(find => find.fault)?.fault || dialogText('offline', {n: left.length})
    }
    const deleteAndLogOut = async () => {
      for (const find of own) await remove(find.once)
      logOut()
    }
    const dialog = make('dialog', {className: 'leaving'},
      make('h2', {id: 'leaving'}, dialogText('title', {n})),
      make('ul', {className: 'bullets'}, ...own.slice(0, 5).map(find => make('li', {}, find.description)), ...(n > 5 ? [make('li', {}, dialogText('more', {n: n - 5}))] : [])),
      make('p', {}, dialogText('explain', {n})),
      state,
      make('p', {className: 'actions'},
        button(dialogText('send'), 'button', sendFirst), button(dialogText('keep', {n}), 'button second', logOut),
        button(dialogText('delete', {n}), 'button danger', deleteAndLogOut), button(dialogText('stay'), 'button second', () => dialog.close())))
    dialog.setAttribute('aria-labelledby', 'leaving')
    dialog.addEventListener('close', () => dialog.remove())
    document.body.append(dialog)
    dialog.showModal()
  }

  logoutForm?.addEventListener('submit', async event => {
    event.preventDefault()
    const own = await ownUnsent().catch(() => []) // without storage there is nothing to ask about
    if (own.length > 0) ask(own)
    else logOut()
  })

  Object.assign(window.homeward, {savedContext, saveContext, person, save, remove, send, showUnsent})
  addEventListener('online', sendAll)
  addEventListener('offline', () => showUnsent())
  sendAll()
})()
